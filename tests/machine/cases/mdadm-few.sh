#!/bin/bash
# After the commands that are most likely to harm an array, it starts with all its data: a part of mdadm-every.sh.
# needs: mdadm-4.4? mdadm-4.4-unpatched?
# plain: yes
. "$(dirname "$0")/../tools/every.sh"

HARM='bitmap=internal|superblock %all|update=(uuid|resync|ppl|metadata) %md|create .*--force'
every_begin
every 4.4-unpatched 3 "$HARM"
every 4.4 3 "$HARM"
every_end
