"""The source of an image: commit, time and version."""

import datetime
import os
import pathlib
import re
from dataclasses import dataclass

from debian_packages import Unavailable, output_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    version: str
    description: str
    commit: str  # Full hash; "…-modified" if files have changed since.
    epoch: int

    @property
    def created(self):
        time = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def git(*arguments):
    return output_of("git", "-C", ROOT, *arguments).strip()


def read_source(build):
    """Version and description are from the configuration of the build directory. Without a
    repository, PATCHBAY_COMMIT and SOURCE_DATE_EPOCH give the rest."""
    cache = (build / "CMakeCache.txt").read_text()

    def cached(name):
        return re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)[1]

    commit, epoch = os.environ.get("PATCHBAY_COMMIT"), os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if not commit:
            changed = git("status", "--porcelain", "--untracked-files=no")
            commit = git("rev-parse", "HEAD") + ("-modified" if changed else "")
        epoch = epoch or git("log", "-1", "--format=%ct")
    except Unavailable as why:
        raise Unavailable(
            f"{why}\nwithout a repository, set PATCHBAY_COMMIT and SOURCE_DATE_EPOCH"
        ) from why
    return Source(
        cached("CMAKE_PROJECT_VERSION"), cached("CMAKE_PROJECT_DESCRIPTION"), commit, int(epoch))
