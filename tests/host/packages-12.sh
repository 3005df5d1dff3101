#!/bin/bash
# In a fresh Debian 12 the guide's commands install packages, boot, mount a par array, and boot from one; kernels are upgraded, all is undone.
# subject: build
# needs: debian-root
# rare: yes
# timeout: 3600
exec "$(dirname "$0")/packages" bookworm
