// SPDX-License-Identifier: GPL-2.0
//! Builds libpar-policy: the module's own policy, from its own files, for user space. Which files
//! these are, scripts/build-policy says.

#![allow(clippy::expect_used)] // what fails here fails the build

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let top = here.join("../..").canonicalize().expect("the tree's top");
    let module = top.join("drivers/md/raid-par");
    let tests = top.join("tests/policy");
    let script = top.join("scripts/build-policy");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));

    let personality = module.join("personality.c");
    println!("cargo:rustc-env=PARADM_VERSION={}", version(&personality));

    let parts = parts(&script);
    let mut sources = Vec::new();
    let mut build = cc::Build::new();
    for part in &parts {
        build.file(module.join(format!("{part}.c")));
        sources.push(module.join(format!("{part}.c")));
    }
    for layer in ["pure", "policy"] {
        sources.extend(headers(&module.join(layer)));
    }
    // The model of an array and its disks that policy-replay has.
    let spindle = top.join("tests/spindle");
    let model = [
        tests.join("sim-array.c"),
        tests.join("sim-slots.c"),
        tests.join("sim-log.c"),
        tests.join("sim-disk.c"),
        tests.join("sim-intents.c"),
        spindle.join("mechanics.c"),
        here.join("src/policy_ffi/simulate.c"),
    ];
    for file in &model {
        build.file(file);
        sources.push(file.clone());
        sources.push(file.with_extension("h"));
    }
    sources.retain(|path| path.exists());
    let include = out.join("include");
    // Empty files that an earlier build needed would hide real ones.
    let _ = fs::remove_dir_all(&include);
    empty_headers(&sources, &include);

    let layout = here.join("src/policy_ffi/layout.c");
    build.file(&layout);
    build
        .std("gnu11")
        .opt_level(2)
        .include(&include)
        .include(&tests)
        .include(&spindle)
        .include(&module)
        .flag("-include")
        .flag(tests.join("kernel.h").to_str().expect("a path in UTF-8"))
        .flag("-Wno-sign-compare")
        .warnings_into_errors(true)
        .compile("par-policy");
    println!("cargo:rustc-link-lib=m");
    sources.extend([script, layout, personality]);
    sources.extend([tests.join("kernel.h"), spindle.join("presets.h")]);
    for path in sources {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

/// The line `MODULE_VERSION("…");`: the module's version is that of all.
fn version(personality: &Path) -> String {
    let text = fs::read_to_string(personality).expect("the module's personality.c");
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("MODULE_VERSION(\"")?.strip_suffix("\");"));
    version.expect("a line MODULE_VERSION").to_owned()
}

/// The line `PARTS=(pure/geometry policy/window …)`.
fn parts(script: &Path) -> Vec<String> {
    let text = fs::read_to_string(script).expect("scripts/build-policy");
    let list = text
        .lines()
        .find_map(|line| line.strip_prefix("PARTS=(")?.strip_suffix(')'))
        .expect("scripts/build-policy has a line PARTS=(…)");
    list.split_ascii_whitespace().map(str::to_owned).collect()
}

fn headers(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .expect("a directory of the module")
        .map(|entry| entry.expect("an entry of the module's directory").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "h"))
        .collect()
}

/// Of the kernel's headers that the files include, the system has some; kernel.h has what the
/// others would bring. Those of libc are where the compiler looks, not always in /usr/include.
fn empty_headers(sources: &[PathBuf], include: &Path) {
    let mut headers = BTreeSet::new();
    for source in sources {
        let text = fs::read_to_string(source).expect("a source of the module");
        let named = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("#include <")?;
            rest.split_once('>').map(|(name, _)| name.to_owned())
        });
        headers
            .extend(named.filter(|name| name.starts_with("linux/") || name.starts_with("kunit/")));
    }
    for header in headers {
        let path = include.join(&header);
        if Path::new("/usr/include").join(&header).exists() || path.exists() {
            continue;
        }
        fs::create_dir_all(path.parent().expect("it has one")).expect("OUT_DIR can be written");
        fs::write(path, "").expect("OUT_DIR can be written");
    }
}
