#!/bin/bash
# In a fresh Debian 12 the guide's commands install packages, boot, and mount a par array; all is undone.
# subject: build
# needs: debian-root
# rare: yes
# timeout: 2400
exec "$(dirname "$0")/packages" bookworm
