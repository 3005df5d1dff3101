#!/bin/bash
# A whole day in a low gear with reads, writes, flushes, a file system, mdstat and mdadm --detail every minute and mdadm --monitor: nobody wakes.
# machine: --debug --time-travel --mem 512M
# rare: yes
# timeout: 900
exec env RAIDPAR_MINUTES=1440 bash "$(dirname "$0")/power-quiet.sh"
