# shellcheck shell=bash
# Functions of scripts/build-paradm and build-tracer. To be sourced after lib.sh; sets TOOLS, TARGET and LOGS.
#
# The dependencies are those of tools/Cargo.lock; cargo fetches the crates that are not in its cache. Once compiled for
# the tests, they are kept in the cache, from which later clones of this tree take them.

TOOLS=$TOP/tools
TARGET=$BUILD/tools
LOGS=$TARGET/logs
DEBUG=$TARGET/debug

# ready PROGRAM: status 69 if a crate or a recent enough Rust is not available.
ready() {
	local wanted
	wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$TOOLS/Cargo.toml")
	mkdir -p "$LOGS"
	cd "$TOOLS" || die "there is no $TOOLS"
	printf '%s\n' "$wanted" "$(cargo --version 2>/dev/null | cut -d' ' -f2)" | sort -VC ||
		unavailable "$1 needs cargo and rustc $wanted or later: scripts/setup installs them"
	cargo fetch --locked --offline --quiet 2>/dev/null ||
		cargo fetch --locked >"$LOGS/fetch.log" 2>&1 </dev/null ||
		unavailable "the crates of tools/Cargo.lock are not available: $(grep -m 1 -iE 'error|failed' "$LOGS/fetch.log")"
}

# Keep paths of this machine out of packages. All optimized builds use these flags: cargo rebuilds everything when the
# flags change.
for_packages() {
	export RUSTFLAGS="--remap-path-prefix=$TOP=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
}

# The lints of Cargo.toml are errors. Other findings, as of a newer clippy, are only printed.
with_lints() {
	if [ "$(clippy-driver --rustc --version 2>/dev/null)" = "$(rustc --version)" ]; then
		export RUSTC_WORKSPACE_WRAPPER=$TOP/scripts/rustc-lints
	elif [ "$1" = test ]; then
		log "note: lints are left out: there is no clippy of the version of rustc"
	fi
}

# Compiled dependencies, of all programs together.
dependencies() { echo "$CACHE/tools/$(content_key "$TOOLS"/{Cargo.lock,Cargo.toml,*/Cargo.toml} "$(rustc -vV 2>/dev/null)" "${CARGO_HOME:-}")"; }

copy_kept() { [ ! -d "$1" ] || cache_entry "$DEBUG" cp -a "$1/."; }

# All but what was made of the sources of this tree. What is there already stays: the lock keeps others from reading it
# meanwhile, and cargo compiles again what is not whole.
add_kept() {
	mkdir -p "$1"
	rsync -a --ignore-existing --exclude '*paradm*' --exclude '*tracer*' --exclude '*shared*' --exclude 'it-*' \
		--exclude 'loads-*' --exclude /incremental "$DEBUG/" "$1/"
}

take_dependencies() { with_lock tools-dependencies copy_kept "$(dependencies)"; }
keep_dependencies() { with_lock tools-dependencies add_kept "$(dependencies)"; }

# build PROGRAM: for tests, with its man pages and completions; print where it is.
build() {
	run_logged "$LOGS/$1.log" "building $1" cargo build --locked --offline --package "$1"
	"$DEBUG/$1" manual "$TARGET/share" >/dev/null
	echo "$DEBUG/$1"
}

# run_tests PACKAGE...: the output of tests is shown, that of a build only if the build fails.
run_tests() {
	local packages=() package
	for package in "$@"; do packages+=(--package "$package"); done
	cargo test --locked --offline --quiet "${packages[@]}"
	keep_dependencies
}
