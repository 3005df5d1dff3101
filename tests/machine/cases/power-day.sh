#!/bin/bash
# In a whole day in a low gear, with reads, writes, flushes, a file system, mdstat, mdadm --detail and --monitor, no sleeper wakes.
# machine: --debug --time-travel --mem 512M
# rare: yes
# timeout: 900
exec env RAIDPAR_MINUTES=1440 bash "$(dirname "$0")/power-quiet.sh"
