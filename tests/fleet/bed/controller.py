# SPDX-License-Identifier: GPL-2.0
"""parfleet's program with a clock that is wrong: controller.py SECONDS ARGUMENTS..."""
import sys
import time

sys.path.insert(0, "/lab/parfleet")
from parfleet.ctl import cli     # noqa: E402

sys.exit(cli.main(sys.argv[2:], clock=lambda: time.time() + float(sys.argv[1])))
