#!/bin/bash
# Power cut 70 times, over all layouts: nothing flushed is lost, all copies agree.
# timeout: 600
# alone: yes
exec "$(dirname "$0")/run" --runs 70 --seed "${SEED:-1}"
