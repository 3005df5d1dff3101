"""The files on the array, and what is known to be in them."""
import hashlib
import os
import random
import threading
import time


class SourceChanged(Exception):
    """What was picked on the host is no longer what it was."""


def digest(data):
    return hashlib.sha256(data).hexdigest()


def write_file(path, data, sync=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def read_manifest(path):
    """{path: digest} of what sha256sum would check."""
    with open(path, encoding="utf-8", errors="surrogateescape") as manifest:
        lines = (line.rstrip("\n").split("  ", 1) for line in manifest)
        return {name: checksum for checksum, name in lines}


class Tree:
    """Files below a mount point: each with the checksum that it must have."""

    def __init__(self, root, seed=1):
        self.root = root
        self.files = {}  # name below root: (size, checksum)
        self.random = random.Random(seed)

    @property
    def bytes(self):
        return sum(size for size, _ in self.files.values())

    def path(self, name):
        return os.path.join(self.root, name)

    def know(self, name, data):
        self.files[name] = (len(data), digest(data))

    def copy(self, manifest, progress):
        """Copy what the manifest names from outside, and hold it to the manifest."""
        for count, (source, checksum) in enumerate(manifest.items(), 1):
            with open(source, "rb") as file:
                data = file.read()
            if digest(data) != checksum:
                raise SourceChanged(f"{source} has changed since it was picked; run the demo again")
            name = source.lstrip("/")
            write_file(self.path(name), data)
            self.files[name] = (len(data), checksum)
            progress(count, len(manifest))

    def write_new(self, directory, sizes):
        for count, size in enumerate(sizes):
            data = self.random.randbytes(size)
            name = f"{directory}/{count}"
            write_file(self.path(name), data)
            self.know(name, data)

    def choose(self, count):
        return self.random.sample(sorted(self.files), count)

    def overwrite(self, names):
        """New contents of about the old size, over the old file."""
        for name in names:
            data = self.random.randbytes(self.files[name][0] + self.random.randrange(100))
            write_file(self.path(name), data)
            self.know(name, data)

    def patch(self, names):
        """Some bytes anywhere inside each file."""
        for name in names:
            with open(self.path(name), "r+b") as file:
                data = bytearray(file.read())
                start = self.random.randrange(len(data) + 1)
                data[start:start + 5000] = self.random.randbytes(len(data[start:start + 5000]))
                file.seek(start)
                file.write(data[start:start + 5000])
            self.know(name, data)

    def delete(self, names):
        for name in names:
            os.remove(self.path(name))
            del self.files[name]

    def found(self):
        for directory, _, names in os.walk(self.root):
            for name in names:
                yield os.path.relpath(os.path.join(directory, name), self.root)

    def compare(self):
        """Read everything; what differs from what is known, in words."""
        found = set(self.found())
        wrong = [f"{name} is missing" for name in sorted(self.files.keys() - found)]
        wrong += [f"{name} should not be there" for name in sorted(found - self.files.keys())]
        for name in sorted(self.files.keys() & found):
            with open(self.path(name), "rb") as file:
                data = file.read()
            if (len(data), digest(data)) != self.files[name]:
                wrong.append(f"{name} has other contents")
        return wrong


class Writer(threading.Thread):
    """Writes files until it is told to stop, now and then with fsync, and now
    and then over one of its own; adds them to the tree at the end."""

    def __init__(self, tree, directory, seed=2):
        super().__init__()
        self.tree, self.directory = tree, directory
        self.random = random.Random(seed)
        self.files, self.error = {}, None
        self.count = self.bytes = 0
        self.slowest = 0.0
        self.enough = threading.Event()

    def run(self):
        try:
            while not self.enough.is_set():
                self.write_one()
        except OSError as error:
            self.error = error

    def write_one(self):
        data = self.random.randbytes(self.random.choice((3000, 20_000, 100_000, 400_000)))
        name = f"{self.directory}/{self.count % 150}"
        start = time.monotonic()
        write_file(self.tree.path(name), data, sync=self.count % 4 == 0)
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.files[name] = (len(data), digest(data))
        self.count += 1
        self.bytes += len(data)

    def finish(self):
        self.enough.set()
        self.join()
        self.tree.files.update(self.files)
