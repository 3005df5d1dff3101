# SPDX-License-Identifier: GPL-2.0
"""The monitors and the manager of a real cluster, through python3-rados."""
import concurrent.futures
import json

from .controller import MonError

TIMEOUT = 30    # s for a command
AT_ONCE = 16    # commands


class Unreachable(Exception):
    """No monitor answers, or the key is wrong; the text says which."""


class Mons:
    """See controller.py for the methods. Connects at once; raises Unreachable, or ImportError without python3-rados."""

    def __init__(self, conf, name, timeout=TIMEOUT):
        """conf: path of ceph.conf; name: "client.parfleet"."""
        import rados    # here, so that tests without a cluster do not need it
        self.rados = rados
        try:
            self.cluster = rados.Rados(conffile=conf, name=name, conf={"client_mount_timeout": str(timeout)})
            self.cluster.connect(timeout=timeout)
        except rados.Error as error:
            raise Unreachable(f"cannot reach the monitors as {name} with {conf}: {error}") from None
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)

    def send(self, method, prefix, raw, args):
        command = json.dumps({"prefix": prefix, "format": "json", **args})
        try:
            code, out, text = method(command, b"", timeout=TIMEOUT)
        except self.rados.Error as error:
            raise MonError(getattr(error, "errno", None) or 110, f"{prefix}: {error}") from None
        if code:
            raise MonError(-code, f"{prefix}: {text or 'error'}")
        if raw:
            return out.decode(errors="replace")
        try:
            return json.loads(out)
        except ValueError:
            return out.decode(errors="replace")

    def mon(self, prefix, raw=False, **args):
        return self.send(self.cluster.mon_command, prefix, raw, args)

    def mgr(self, prefix, raw=False, **args):
        return self.send(self.cluster.mgr_command, prefix, raw, args)

    def many(self, commands):
        """All are sent, also after one has failed; then the first error is raised."""
        sent = [self.pool.submit(self.mon, prefix, **args) for prefix, args in commands]
        concurrent.futures.wait(sent)
        for future in sent:
            future.result()
