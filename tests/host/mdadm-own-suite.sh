#!/bin/bash
# mdadm's own tests have the same results without and with the patches (a selection).
# timeout: 1500
# alone: yes
set -euo pipefail
exec "$(dirname "$0")/../mdadm/own-suite"
