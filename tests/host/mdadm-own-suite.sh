#!/bin/bash
# mdadm's own tests have the same results without and with the patches (a selection; of mdadm 4.6, few but in make test-all).
# timeout: 1500
# alone: yes
set -euo pipefail
cd "$(dirname "$0")/../mdadm"
FEW=--few
[ -z "${RAIDPAR_WHOLE:-}" ] || FEW=
./own-suite 4.4
./own-suite ${FEW:+"$FEW"} 4.6
