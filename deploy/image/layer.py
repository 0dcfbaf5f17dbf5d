"""Packs a directory as the layer of an image. The same files give the same bytes."""

import gzip
import io
import os
import tarfile


def members(root):
    """Everything below a directory in a fixed order, each directory before its content."""
    for folder, names, files in os.walk(root):
        names.sort()
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in sorted(names + files):
            yield os.path.join(folder, name)
        names[:] = [name for name in names if name not in links]


def archive(root, epoch):
    """The bytes of the archive. All entries belong to root and have the same time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        paths = sorted(members(root), key=lambda path: os.path.relpath(path, root).split(os.sep))
        for path in paths:
            member = tar.gettarinfo(path, os.path.relpath(path, root))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.islnk():
                # Hard links become separate files: their order is not reproducible.
                member.type, member.size = tarfile.REGTYPE, os.path.getsize(path)
            if member.isreg():
                with open(path, "rb") as file:
                    tar.addfile(member, file)
            else:
                tar.addfile(member)
    return buffer.getvalue()


def compressed(data):
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()
