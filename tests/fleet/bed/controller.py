# SPDX-License-Identifier: GPL-2.0
"""parfleet's program for tests: controller.py SECONDS ARGUMENTS...

Its clock is wrong by SECONDS. With DIES=1 in the environment it is killed after the first setting that it changes.
"""
import os
import signal
import sys
import time

sys.path.insert(0, "/lab/parfleet")
from parfleet.ctl import cli, controller     # noqa: E402


class Mortal(controller.Controller):
    def act(self, batch):
        super().act(batch)
        if isinstance(batch[0], controller.Want):
            return      # a new controller gives the leases again, and would come no further
        os.kill(os.getpid(), signal.SIGKILL)


if os.environ.get("DIES"):
    cli.Controller = Mortal
sys.exit(cli.main(sys.argv[2:], clock=lambda: time.time() + float(sys.argv[1])))
