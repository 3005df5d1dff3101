# SPDX-License-Identifier: GPL-2.0
"""Shifts under RGW, CephFS, and a file system on RBD, and which of their requests wake sleepers: see
cluster-services.sh.
"""
import base64
import hashlib
import hmac
import http.client
import itertools
import os
import signal
import stat
import subprocess
import threading
import time
from email.utils import formatdate

import cephfs
import rbd

import lab

GATEWAY = 7480
BUCKET = "bucket"
MIB = 1 << 20


def key(name, *capabilities):
    lab.ceph("auth", "get-or-create", name, *capabilities, "-o", lab.KEYS + name)


def daemon(program, name):
    subprocess.run([program, "-n", name], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def end_of(name):
    with open(f"/lab/run/{name}.pid", encoding="ascii") as file:
        pid = int(file.read())
    os.kill(pid, signal.SIGTERM)
    lab.wait_for(f"{name} has ended", 60, lambda: not os.path.exists(f"/proc/{pid}"))


class Gateway:
    """Objects of RGW by S3. Requests are signed with version 2 of AWS, each on a connection of its own."""

    def __init__(self, key, secret):
        self.key, self.secret = key, secret

    def send(self, method, path, body=b"", query=""):
        connection = http.client.HTTPConnection("127.0.0.1", GATEWAY, timeout=120)
        date = formatdate(usegmt=True)
        text = f"{method}\n\n\n{date}\n/{path}" + (f"?{query}" if query else "")
        signed = base64.b64encode(hmac.new(self.secret.encode(), text.encode(), hashlib.sha1).digest()).decode()
        connection.request(method, f"/{path}" + (f"?{query}" if query else ""), body, {
            "Date": date, "Authorization": f"AWS {self.key}:{signed}"})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status < 300, f"{method} {path}: {answer.status} {data[:200]}"
        return data

    def write_full(self, name, data):
        self.send("PUT", f"{BUCKET}/{name}", data)

    def read(self, name, _size):
        return self.send("GET", f"{BUCKET}/{name}")

    def remove(self, name):
        self.send("DELETE", f"{BUCKET}/{name}")

    def upload(self, name, parts):
        """An object in parts."""
        begun = self.send("POST", f"{BUCKET}/{name}", query="uploads").decode()
        upload = begun.partition("<UploadId>")[2].partition("<")[0]
        text = ""
        for number, part in enumerate(parts, 1):
            self.send("PUT", f"{BUCKET}/{name}", part, f"partNumber={number}&uploadId={upload}")
            text += f"<Part><PartNumber>{number}</PartNumber><ETag>{hashlib.md5(part).hexdigest()}</ETag></Part>"
        self.send("POST", f"{BUCKET}/{name}", f"<CompleteMultipartUpload>{text}</CompleteMultipartUpload>".encode(),
                  f"uploadId={upload}")


class Files:
    """Whole files, replaced as programs do it: written beside the old one, to the disk, and renamed."""

    def write_full(self, name, data):
        other = f"{name}.{threading.get_ident()}"
        self.store(other, data, os.O_CREAT | os.O_TRUNC)
        self.rename(other, name)


class Cephfs(Files):
    """Files of CephFS by libcephfs, the client of ceph-fuse. What is read comes from OSDs."""

    def __init__(self):
        self.fs = cephfs.LibCephFS(conffile="/etc/ceph/ceph.conf", conf={"client_oc": "false"})
        self.fs.mount()

    def store(self, name, data, flags, at=0):
        fd = self.fs.open("/" + name, os.O_WRONLY | flags, 0o644)
        done = 0
        while done < len(data):
            done += self.fs.write(fd, data[done:], at + done)
        self.fs.fsync(fd, 0)
        self.fs.close(fd)

    def rename(self, old, new):
        self.fs.rename("/" + old, "/" + new)

    def read(self, name, size):
        fd = self.fs.open("/" + name, os.O_RDONLY)
        data = b""
        while True:
            more = self.fs.read(fd, len(data), size)
            if not more:
                break
            data += more
        self.fs.close(fd)
        return data

    def remove(self, name):
        self.fs.unlink("/" + name)


class Local(Files):
    """Files of ext4 on an image of RBD. What is read comes from the image, not from memory."""

    def __init__(self, directory):
        self.directory = directory

    def store(self, name, data, flags, at=0):
        fd = os.open(f"{self.directory}/{name}", os.O_WRONLY | flags, 0o644)
        assert os.pwrite(fd, data, at) == len(data)
        os.fsync(fd)
        os.close(fd)

    def rename(self, old, new):
        os.rename(f"{self.directory}/{old}", f"{self.directory}/{new}")

    def read(self, name, size):
        fd = os.open(f"{self.directory}/{name}", os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        data = os.read(fd, size)
        os.close(fd)
        return data

    def remove(self, name):
        os.unlink(f"{self.directory}/{name}")


# A service is a generator: it yields None when its pools and keys are made, and then the store and its requests when it
# runs. Only one runs at a time: an MDS writes its journal without being asked.
def gateway(_admin, _cluster):
    """RGW makes its pools by itself, by the default rule; the last one at an upload in parts."""
    store = Gateway("key", "secret")

    def answers():
        try:
            store.send("PUT", BUCKET)
            return True
        except OSError:
            return False
    key("client.rgw", "mon", "allow rw", "osd", "allow rwx", "mgr", "allow rw")
    daemon("radosgw", "client.rgw")
    subprocess.run(["radosgw-admin", "user", "create", "--uid", "u", "--display-name", "u", "--access-key", "key",
                    "--secret-key", "secret"], check=True, capture_output=True, timeout=120)
    lab.wait_for("RGW has a bucket", 120, answers)
    store.upload("first", [b"x" * 100])
    end_of("client.rgw")
    yield
    daemon("radosgw", "client.rgw")
    lab.wait_for("RGW answers", 120, answers)
    yield store, of_gateway(store)
    end_of("client.rgw")


def file_system(admin, _cluster):
    for pool in "meta", "files":
        admin.mon("osd pool create", pool=pool, pg_num=8, pgp_num=8, pool_type="replicated", rule="gears")
    admin.mon("fs new", fs_name="fs", metadata="meta", data="files")
    key("mds.a", "mon", "allow profile mds", "osd", "allow *", "mds", "allow", "mgr", "allow profile mds")
    yield
    daemon("ceph-mds", "mds.a")
    lab.wait_for("the MDS is active", 60, lambda: "active" in lab.ceph("fs", "status"))
    store = Cephfs()
    yield store, of_files(store, lambda name, mode: store.fs.mkdir("/" + name, mode), True)
    store.fs.shutdown()
    end_of("mds.a")


def on_image(_admin, cluster):
    """ext4 on an image, by rbd-fuse and a loop device, for want of a kernel with rbd; and two images as they are."""
    for name, numbers in [("fuse", (10, 229)), ("loop-control", (10, 237)), *(
            (f"loop{n}", (7, n)) for n in range(64))]:
        if not os.path.exists(f"/dev/{name}"):
            kind = stat.S_IFBLK if numbers[0] == 7 else stat.S_IFCHR
            os.mknod(f"/dev/{name}", kind | 0o600, os.makedev(*numbers))
    io = cluster.open_ioctx("data")
    plain = rbd.RBD_FEATURE_LAYERING | rbd.RBD_FEATURE_EXCLUSIVE_LOCK
    rbd.RBD().create(io, "fs", 128 * MIB, features=plain)
    images = {}
    for name, features in ("with", plain | rbd.RBD_FEATURE_OBJECT_MAP), ("without", plain):
        rbd.RBD().create(io, name, 64 * MIB, features=features)
        images[name] = rbd.Image(io, name)
        for at in range(0, 32 * MIB, 4 * MIB):
            images[name].write(os.urandom(4 * MIB), at)
    for directory in "/lab/images", "/lab/fs":
        os.makedirs(directory, exist_ok=True)
    yield
    subprocess.run(["rbd-fuse", "-p", "data", "-o", "direct_io", "/lab/images"], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-E", "nodiscard", "/lab/images/fs"], check=True)
    subprocess.run(["mount", "-o", "loop", "/lab/images/fs", "/lab/fs"], check=True)
    store = Local("/lab/fs")
    yield store, itertools.chain(of_files(store, lambda name, mode: os.mkdir(f"/lab/fs/{name}", mode), False),
                                 of_images(images))
    subprocess.run(["umount", "/lab/fs"], check=True)
    subprocess.run(["umount", "/lab/images"], check=True)
    for image in images.values():
        image.close()


# What clients do beside replacing whole objects or files, each with whether it may read on sleepers.
def of_gateway(store):
    large = [os.urandom(5 * MIB), os.urandom(5 * MIB), os.urandom(MIB + 123)]

    def reads():
        for number in range(2):
            assert store.read(f"large{number}", 0) == b"".join(large)
    yield "20 objects replaced", lambda: [store.write_full(f"old{n}", os.urandom(5000)) for n in range(20)], False
    yield "20 new objects of 5,000 bytes", lambda: [
        store.write_full(f"n{n}", os.urandom(5000)) for n in range(20)], False
    yield "2 objects of 11 MiB and 123 bytes in 3 parts", lambda: [
        store.upload(f"large{n}", large) for n in range(2)], False
    yield "these are read", reads, False
    yield "10 lists of the bucket", lambda: [store.send("GET", BUCKET) for _ in range(10)], False
    yield "22 objects removed", lambda: [store.remove(name) for name in (
        *(f"n{n}" for n in range(20)), "large0", "large1")], False
    yield "garbage collected", lambda: subprocess.run(
        ["radosgw-admin", "gc", "process", "--include-all"], check=True), False


def of_files(store, make, journal):
    """journal: do changes append to a journal that is not aligned?"""
    yield "a directory", lambda: make("d", 0o755), journal
    yield "20 new files of 5,000 bytes", lambda: [
        store.write_full(f"n{n}", os.urandom(5000)) for n in range(20)], journal
    yield "100 bytes appended to 20 files that are older than the doze", lambda: [
        store.store(f"old{n}", b"x" * 100, 0, 5000) for n in range(20)], journal
    yield "a file of 16 MiB", lambda: store.store("large", os.urandom(16 * MIB), os.O_CREAT), journal
    yield "4 KiB overwritten in it, 20 times", lambda: [
        store.store("large", os.urandom(4096), 0, n * 40960) for n in range(20)], journal
    yield "20 files removed", lambda: [store.remove(f"n{n}") for n in range(20)], journal
    yield "the large file removed", lambda: store.remove("large"), journal


def of_images(images):
    """The map is written without alignment when an object is made or removed. While it is cached, nothing is read."""
    for name, image in images.items():
        may = name == "with"
        yield f"8 MiB of an image {name} object map discarded", lambda: image.discard(8 * MIB, 8 * MIB), may
        yield f"4 KiB in a new object of an image {name} object map", lambda: image.write(
            os.urandom(4096), 40 * MIB), may


def counted(admin, what, act, may, cold=True):
    """Count requests to the sleepers while a client acts, and a bit longer. Their caches are empty: the worst case."""
    sleepers = lab.asleep()
    if cold:
        for osd in sleepers:
            code, _, text = admin.cluster.osd_command(osd, '{"prefix": "cache drop"}', b"", timeout=60)
            assert code == 0, text
    before = {osd: lab.DISKS.get(osd) for osd in sleepers}
    act()
    time.sleep(3)
    changed = {osd: {field: lab.DISKS.get(osd)[field] - before[osd][field] for field in ("reads", "writes", "wakes")}
               for osd in sleepers}
    total = {field: sum(one[field] for one in changed.values()) for field in ("reads", "writes", "wakes")}
    lab.say(f"  {what}: " + ", ".join(f"{n} {field}" for field, n in total.items()))
    assert may or not any(total.values()), f"{what}: {changed}"
    assert not total["writes"], f"{what}: {changed}"


def served(admin, store, requests):
    """Shifts under a verified load of a service; what requests of an idle client do to sleepers in gear 1."""
    load = lab.Load(objects=60, store=store, pause=0.3)
    lab.shift(admin, load, 2)
    lab.shift(admin, load, 1)
    count = len(load.times)
    counted(admin, "30 s of whole objects or files of 64 KiB", lambda: time.sleep(30), False, False)
    lab.say(f"    {len(load.times) - count} requests")
    lab.shift(admin, load, 3)
    load.pause = 1e9
    for number in range(20):
        store.write_full(f"old{number}", os.urandom(5000))
    time.sleep(5)
    for what, act, may in requests:
        lab.reach(admin, 1)
        counted(admin, what, act, may)
    load.end()
    lab.say(f"  {len(load.times)} requests, 0 errors")
    lab.reach(admin, 3)


def main():
    admin = lab.Admin()
    lab.lay_out(admin)
    rule = admin.mon("osd crush rule dump", name="gears")["rule_id"]
    for name, value in ("osd_pool_default_crush_rule", rule), ("osd_pool_default_pg_num", 8):
        admin.mon("config set", who="global", name=name, value=str(value))
    admin.mon("config set", who="client", name="rbd_cache", value="false")
    load = lab.Load(objects=1, pause=1e9)
    made = {"image": on_image, "gateway": gateway, "files": file_system}
    services = [made[name](admin, load.cluster) for name in os.environ.get("ONLY", "").split() or made]
    for service in services:
        next(service)
    lab.wait_for("all PGs are clean", 90, admin.clean)
    keys, first = admin.mon("auth ls"), lab.kept(admin)
    lab.configure()
    fleet = lab.Fleet(lab.make_keys())
    for service in services:
        store, requests = next(service)
        lab.say(store.__doc__.partition(".")[0] + ":")
        served(admin, store, requests)
        next(service, None)
    lab.given_back(admin, fleet, load, first, keys)


main()
