"""Makes images from this machine's files for the runtime of a test machine, without a registry."""

import hashlib
import io
import json
import pathlib
import subprocess
import tarfile

SHELL = "patchbay.test/shell:1"
PAUSE = "patchbay.test/pause:1"


def _archive(name: str, layer: bytes, entry: list, file: pathlib.Path) -> pathlib.Path:
    """Writes an image with one layer, in the format of `docker save`."""
    digest = hashlib.sha256(layer).hexdigest()
    configuration = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": entry, "Env": ["PATH=/bin"]},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        }
    ).encode()
    described = f"{hashlib.sha256(configuration).hexdigest()}.json"
    manifest = [{"Config": described, "RepoTags": [name], "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(file, "w") as archive:
        for path, data in (
            (described, configuration),
            (f"{digest}/layer.tar", layer),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            entry_of = tarfile.TarInfo(path)
            entry_of.size = len(data)
            archive.addfile(entry_of, io.BytesIO(data))
    return file


def shell_layer() -> bytes:
    """A root directory with busybox and its links, and an unprivileged user."""
    names = subprocess.run(["/bin/busybox", "--list"], capture_output=True, text=True, check=True)
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as layer:
        for directory in ("bin", "dev", "etc", "proc", "run", "sys", "tmp"):
            entry = tarfile.TarInfo(directory)
            entry.type = tarfile.DIRTYPE
            entry.mode = 0o1777 if directory == "tmp" else 0o755
            layer.addfile(entry)
        layer.add("/bin/busybox", "bin/busybox")
        for name in names.stdout.split():
            if name == "busybox":
                continue
            entry = tarfile.TarInfo(f"bin/{name}")
            entry.type = tarfile.SYMTYPE
            entry.linkname = "busybox"
            layer.addfile(entry)
        users = b"root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"
        entry = tarfile.TarInfo("etc/passwd")
        entry.size = len(users)
        layer.addfile(entry, io.BytesIO(users))
    return data.getvalue()


def make(directory: pathlib.Path) -> list:
    """The archives of the images for the tests' Pods."""
    directory.mkdir(exist_ok=True)
    layer = shell_layer()
    return [
        _archive(SHELL, layer, [], directory / "shell.tar"),
        _archive(PAUSE, layer, ["/bin/sleep", "infinity"], directory / "pause.tar"),
    ]
