#!/bin/bash
# paradm doctor on a real array: it wakes no disk, writes nothing without --fix, finds statistics that are off, mends them, and no longer reports them.
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

# found: print the names of doctor's findings, without those that this machine always has; CODE has its exit code.
found() {
	CODE=0
	"$PARADM" doctor --json "$@" >"$MACHINE_TMP/doctor" || CODE=$?
	[ "$CODE" -le 1 ] || fail "paradm doctor $*: exit code $CODE"
	FOUND=$(jq -r '[.findings[].check] | unique | join(" ")' "$MACHINE_TMP/doctor")
}

on_spindles 3,5 48M
ask 0 shift 3
settle
for d in 3 4; do wait_for "/sys/block/$MD/md/par/member$d/power_state" asleep 60; done
watch_sleepers

note "only statistics that are off are found"
for disk in "$MD" "${DISKS[@]}"; do echo 1 >"/sys/block/$disk/queue/iostats"; done
found
[[ " $FOUND " != *" iostats "* ]] || fail "found on a sound array: $FOUND"
echo 0 >"/sys/block/${DISKS[3]}/queue/iostats"
found
assert_match " $FOUND " ' iostats ' "findings"
assert_eq "$CODE" 1 "exit code"
ask 1 doctor --fix --dry-run
assert_match "$SAID" "--fix writes 1 into /sys/block/${DISKS[3]}/queue/iostats" "paradm doctor --fix --dry-run"
assert_eq "$(cat "/sys/block/${DISKS[3]}/queue/iostats")" 0 "iostats without --fix"

note "an mdadm in root's PATH without the patches is reported"
unpatched() { jq -r '.findings[] | select(.check == "mdadm") | .what' "$MACHINE_TMP/doctor"; }
printf 'not the patched one' >/usr/local/sbin/mdadm
found
assert_match "$(unpatched)" '(^|'$'\n'')/usr/local/sbin/mdadm lacks the patches' "an mdadm without patches"
printf '%%s: level par does not support a bitmap' >/usr/local/sbin/mdadm
found
case $(unpatched) in */usr/local/sbin/mdadm*) fail "an mdadm with the patches is reported: $(unpatched)" ;; esac
rm /usr/local/sbin/mdadm

note "mended"
rm -f {/etc,/usr/lib,/lib,/run}/udev/rules.d/65-md-par.rules
found --fix
assert_eq "$(jq -r '[.findings[] | select(.fix.done) | .check] | join(" ")' "$MACHINE_TMP/doctor")" "iostats rules" "findings that were fixed"
assert_eq "$(cat "/sys/block/${DISKS[3]}/queue/iostats")" 1 "iostats after --fix"
cmp /etc/udev/rules.d/65-md-par.rules "$TOOLS/../../../extras/udev/65-md-par.rules"
found
assert_asleep "of paradm doctor"
case " $FOUND " in *" iostats "* | *" rules "*) fail "still found: $FOUND" ;; esac
stop_par
says '^no par array runs here$' doctor
