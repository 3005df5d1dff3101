#!/bin/bash
# parfleet's commands and daemon on a fake cluster; its agent and its failsafe.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python commands.py
