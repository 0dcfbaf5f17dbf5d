"""Writes an archive in the format of the kernel's initial file system: cpio's "newc".
Documentation/driver-api/early-userspace/buffer-format.rst defines it."""

import stat

ALIGNMENT = 4


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


class Archive:
    """An archive whose files belong to root. Directories are created with their first content."""

    def __init__(self, file):
        self._file = file
        self._paths = set()

    def directory(self, path):
        self._above(path)
        self._add(path, stat.S_IFDIR | 0o755, b"")

    def file(self, path, content, executable=False):
        self._above(path)
        self._add(path, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def link(self, path, target):
        self._above(path)
        self._add(path, stat.S_IFLNK | 0o777, target.encode())

    def close(self):
        self._add("TRAILER!!!", 0, b"")

    def _above(self, path):
        above = path.rpartition("/")[0]
        if above and above not in self._paths:
            self.directory(above)

    def _add(self, path, mode, content):
        if path in self._paths:
            return
        self._paths.add(path)
        name = path.lstrip("/").encode() + b"\0"
        number, links = len(self._paths), 1
        fields = [number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name), 0]
        header = b"070701" + b"".join(b"%08X" % value for value in fields)
        self._file.write(padded(header + name) + padded(content))
