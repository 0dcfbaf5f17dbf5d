"""A layer of an image: a directory as an archive that is the same wherever and whenever it is made
of the same files."""

import gzip
import io
import os
import tarfile


def members(root):
    """Everything below a directory, each directory before what is in it, in one order."""
    for folder, names, files in os.walk(root):
        names.sort()
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in sorted(names + files):
            yield os.path.join(folder, name)
        names[:] = [name for name in names if name not in links]


def archive(root, epoch):
    """The archive's bytes. All belongs to root and has one time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        paths = sorted(members(root), key=lambda path: os.path.relpath(path, root).split(os.sep))
        for path in paths:
            member = tar.gettarinfo(path, os.path.relpath(path, root))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.islnk():
                # The same file twice is two files: which came first is chance.
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
