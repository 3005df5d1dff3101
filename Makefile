# SPDX-License-Identifier: GPL-2.0
# The tasks of a developer of raid-par; each target calls a script that can also be
# called directly. Builds go to build/, and kernels and sources that clones can share
# to $XDG_CACHE_HOME/raid-par.

# The kernels of the test machines, except Debian's own.
MACHINES := 6.12 6.12-debug 7.2
MDADMS := 4.4 4.6
# The exit status of a script if no mirror has what it needs.
UNAVAILABLE := 69

help:
	@echo 'make setup     install the Debian packages that the other targets need (root)'
	@echo 'make demo      a par array from creation to shift and back, and a day of it with an energy report'
	@echo 'make test      all tests that a change has to pass'
	@echo 'make test-all  also, on the other kernels, all tests that run in a machine: hours'
	@echo 'make check     the sources only: style, static checks, both kernels'
	@echo 'make kunit     the KUnit suites only'
	@echo 'make bench     throughput and instructions compared with raid5'
	@echo 'make torture   power cuts: RUNS=100 SEED=1, or MUTATION=name'
	@echo 'make module    the module, for the test machines'
	@echo 'make mdadm     the patched mdadm'
	@echo "make paradm    the administrator's tool, see Documentation/paradm.md"
	@echo 'make tracer    raid-tracer, for traces, see Documentation/raid-tracer.md'
	@echo 'make deb       the Debian packages, in build/deb, for the Debian that runs'
	@echo 'make fleet     the packages of parfleet, gears for a Ceph cluster, see Documentation/parfleet.md'
	@echo 'make dist      a tarball of the committed tree, in build/'
	@echo 'make kernel-patch KSRC=DIR     the module as a patch for that kernel tree'
	@echo 'make install-extras     udev rules, initramfs hook, par-smart, units; DESTDIR=DIR'
	@echo 'make man       the manual pages, in build/man and build/tools/share/man'
	@echo 'make install-man        manual pages and completions; DESTDIR=DIR, PREFIX=/usr/local'
	@echo 'make kernel    the kernels of the test machines'
	@echo 'make clean     remove build/; distclean-cache: also the cache'
	@echo
	@echo 'tests/machine/run -- bash      a shell in a test machine'
	@echo 'tests/run -k PATTERN           some of the tests'

setup:
	@scripts/setup

kernel: setup
	@for k in $(MACHINES); do scripts/build-kernel $$k >/dev/null || [ $$? = $(UNAVAILABLE) ] || exit 1; done

# One of them is enough: see scripts/build-mdadm.
mdadm: setup
	@scripts/build-mdadm any >/dev/null
	@for v in $(MDADMS); do scripts/build-mdadm $$v >/dev/null || [ $$? = $(UNAVAILABLE) ] || exit 1; done

module: kernel
	@for k in $(MACHINES); do scripts/build-module $$k >/dev/null || [ $$? = $(UNAVAILABLE) ] || exit 1; done

paradm: setup
	@scripts/build-paradm

tracer: setup
	@scripts/build-tracer

kernel-patch: setup
	@scripts/kernel-patch "$(KSRC)"

# It installs what it needs itself, which is other than what tests need.
deb:
	@scripts/build-deb

fleet:
	@scripts/build-fleet

dist:
	@scripts/dist

demo: setup
	@tests/demo/demo

# It builds kernels and programs beside the tests that do not need them.
test: setup
	@tests/run

test-all: setup
	@RAIDPAR_WHOLE=1 RAIDPAR_POINTS=$${RAIDPAR_POINTS:-100} tests/run --all

check: setup
	@tests/check

kunit: setup
	@tests/run -k '^kunit$$'

# Without a mirror that has Debian's own kernel, there is no exact table.
bench: setup
	@tests/bench/bench
	@tests/bench/exact || [ $$? = $(UNAVAILABLE) ]

# The files of a system with par arrays besides the module and mdadm.
install-extras:
	install -D -m 644 extras/udev/65-md-par.rules $(DESTDIR)/etc/udev/rules.d/65-md-par.rules
	install -D -m 755 extras/initramfs-tools/hooks/raid-par $(DESTDIR)/etc/initramfs-tools/hooks/raid-par
	install -D -m 755 extras/par-smart $(DESTDIR)/usr/local/sbin/par-smart
	install -D -m 644 -t $(DESTDIR)/etc/systemd/system extras/systemd/par-smart.service extras/systemd/par-smart.timer \
		extras/systemd/paradm.service

# Without a Rust that is recent enough, all but paradm's and raid-tracer's.
man:
	@scripts/build-man
	@scripts/build-paradm >/dev/null || [ $$? = $(UNAVAILABLE) ]
	@scripts/build-tracer >/dev/null || [ $$? = $(UNAVAILABLE) ]

PREFIX := /usr/local
SHARE = $(abspath $(DESTDIR)$(PREFIX)/share)
install-man: man
	cd build/man && find . -type f -exec install -D -m 644 {} $(SHARE)/man/{} \;
	test ! -d build/tools/share || { cd build/tools/share && find . -type f -exec install -D -m 644 {} $(SHARE)/{} \; ; }

RUNS := 100
SEED := 1
torture: module mdadm
	@tests/torture/run --runs $(RUNS) --seed $(SEED) $(if $(MUTATION),--mutation $(MUTATION) --first)

clean:
	rm -rf build

distclean-cache: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/raid-par"

# The scripts run their work in parallel themselves.
.NOTPARALLEL:
.PHONY: deb fleet dist install-extras install-man man help setup kernel mdadm module paradm tracer kernel-patch demo test test-all check kunit bench torture clean distclean-cache
