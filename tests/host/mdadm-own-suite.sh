#!/bin/bash
# mdadm's own tests have the same results without and with the patches (a few; in make test-all a selection).
# needs: mdadm-VERSION mdadm-VERSION-unpatched 6.12-debug
# mdadm: 4.4 4.6
# rare: 4.6
# timeout: 1500
set -euo pipefail
cd "$(dirname "$0")/../mdadm"
if [ -n "${RAIDPAR_WHOLE:-}" ]; then exec ./own-suite "$1"; else exec ./own-suite --few "$1"; fi
