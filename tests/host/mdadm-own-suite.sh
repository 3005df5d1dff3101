#!/bin/bash
# mdadm's own tests have the same results without and with the patches (a few; in make test-all a selection).
# timeout: 1500
# alone: yes
set -euo pipefail
cd "$(dirname "$0")/../mdadm"
if [ -n "${RAIDPAR_WHOLE:-}" ]; then exec ./own-suite; else exec ./own-suite --few; fi
