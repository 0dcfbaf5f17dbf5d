"""The packages that an image takes files from, each of a version that is written down: an image of
the same commit has the same files whenever it is made."""

import pathlib
import sys
from dataclasses import dataclass

from debian_packages import Package, Store, Unavailable, sha256

LOCK = pathlib.Path(__file__).with_name("packages.lock")
ARCHITECTURES = ("amd64", "arm64")
HEADER = """\
# What images take files from: package, version, architecture of the image, SHA-256 of the file.
# scripts/image --update-packages writes the newest there are.
"""
UPDATE = "scripts/image --update-packages takes the newest; commit what it writes"


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
    """The packages of these names, unchanged since they were written down. What Debian has replaced
    since is taken as it is now, and that is said; `exactly` refuses it."""
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
    """Where the package is then: at `path`, if it is the one that was written down."""
    try:
        (found,) = store.fetch([f"{locked.name}={locked.version}"])
    except Unavailable as why:
        gone = f"Debian has no {locked.name} {locked.version} any more"
        if exactly:
            raise Unavailable(
                f"{gone} ({why}).\n"
                f"{UPDATE}; or let apt here look at snapshot.debian.org as of the commit's day"
            ) from why
        (found,) = store.fetch([locked.name])
        print(
            f"scripts/image: {gone}: {Package.read(found).version} is taken, so the image is not"
            f" the one that others made of this commit.\n{UPDATE}",
            file=sys.stderr,
        )
        return found
    if sha256(found) != locked.digest:
        raise Unavailable(f"{found} is not what {LOCK} says: expected {locked.digest}")
    return found.rename(path)


def update(directory, names):
    """Writes down the newest of these names, for all architectures."""
    lines = []
    for architecture in ARCHITECTURES:
        store = Store(pathlib.Path(directory) / f"{architecture}.packages", architecture)
        store.renew()
        for path in store.fetch(sorted(names)):
            package = Package.read(path)
            lines.append(f"{package.name} {package.version} {architecture} {sha256(path)}\n")
    LOCK.write_text(HEADER + "".join(lines))
