#!/bin/bash
# parfleet's controller on a fake cluster: shifts, its death after each command, Ceph and the administrator first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python controller.py
