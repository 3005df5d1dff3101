#!/bin/bash
# systemd-analyze finds the units of extras/systemd valid, and their exposure below a limit.
# subject: paradm
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

command -v systemd-analyze >/dev/null || { echo "SKIP: no systemd-analyze"; exit 77; }
systemd-analyze security --help | grep -q -- --offline || { echo "SKIP: this systemd-analyze knows no --offline"; exit 77; }

# The daemon runs hooks and sendmail, which may need more than par-smart.
for limit in par-smart=25 paradm=60; do
	unit=$TOP/extras/systemd/${limit%=*}.service
	systemd-analyze security --offline=true --threshold="${limit#*=}" "$unit" >/dev/null ||
		{ systemd-analyze security --offline=true "$unit" | tail -n 1; exit 1; }
done
