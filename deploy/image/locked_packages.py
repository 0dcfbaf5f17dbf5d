"""The packages that an image takes files from, each with a locked version. So all images of one
commit have the same files."""

import pathlib
import sys
from dataclasses import dataclass

from debian_packages import Package, Store, Unavailable, sha256

LOCK = pathlib.Path(__file__).with_name("packages.lock")
ARCHITECTURES = ("amd64", "arm64")
HEADER = """\
# The packages of images: name, version, architecture of the image, SHA-256 of the file.
# scripts/image --update-packages writes the newest versions.
"""
UPDATE = "scripts/image --update-packages locks the newest versions; commit the file"


@dataclass(frozen=True)
class Locked:
    name: str
    version: str
    architecture: str
    digest: str


def read_lock():
    lines = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    return [Locked(*line.split()) for line in lines]


def fetch(directory, architecture, names, exactly=False):
    """The packages of these names, as locked. If Debian has replaced one, the newest version is
    used and a notice is printed; with `exactly` this is an error."""
    locked = {one.name: one for one in read_lock() if one.architecture == architecture}
    missing = sorted(set(names) - set(locked))
    if missing:
        raise Unavailable(f"{LOCK} has no {', '.join(missing)} for {architecture}: {UPDATE}")
    kept = pathlib.Path(directory).resolve() / f"{architecture}.locked"
    kept.mkdir(parents=True, exist_ok=True)
    packages = []
    for name in names:
        path = kept / f"{locked[name].digest}.deb"
        if not path.exists():
            store = Store(kept.with_suffix(".packages"), architecture)
            path = fetch_one(store, locked[name], path, exactly)
        packages.append(Package.read(path))
    return packages


def fetch_one(store, locked, path, exactly):
    """The path of the downloaded package: `path`, if it is the locked version."""
    try:
        (found,) = store.fetch([f"{locked.name}={locked.version}"])
    except Unavailable as why:
        gone = f"Debian has no {locked.name} {locked.version} any more"
        if exactly:
            raise Unavailable(
                f"{gone} ({why}).\n"
                f"{UPDATE}; or set apt's sources to snapshot.debian.org of the commit's day"
            ) from why
        (found,) = store.fetch([locked.name])
        print(
            f"scripts/image: {gone}: using {Package.read(found).version}, so the image differs from"
            f" others of this commit.\n{UPDATE}",
            file=sys.stderr,
        )
        return found
    if sha256(found) != locked.digest:
        raise Unavailable(f"{found} does not match {LOCK}: expected {locked.digest}")
    return found.rename(path)


def update(directory, names):
    """Locks the newest versions of these names for all architectures."""
    lines = []
    for architecture in ARCHITECTURES:
        store = Store(pathlib.Path(directory) / f"{architecture}.packages", architecture)
        store.renew()
        for path in store.fetch(sorted(names)):
            package = Package.read(path)
            lines.append(f"{package.name} {package.version} {architecture} {sha256(path)}\n")
    LOCK.write_text(HEADER + "".join(lines))
