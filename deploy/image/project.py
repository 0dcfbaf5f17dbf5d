"""The project's name and addresses: deploy/project.conf, or the file PATCHBAY_PROJECT."""

import os
import re
import shlex
from dataclasses import dataclass

from debian_packages import Unavailable
from source_tree import ROOT


@dataclass(frozen=True)
class Project:
    """An empty value is unknown."""

    name: str
    maintainer: str
    source: str
    registry: str
    downloads: str


def read_project():
    path = os.environ.get("PATCHBAY_PROJECT") or ROOT / "deploy/project.conf"
    with open(path, encoding="utf-8") as file:
        words = shlex.split(file.read(), comments=True)
    values = dict(word.split("=", 1) for word in words)
    project = Project(**{name.lower(): value for name, value in values.items()})
    if project.maintainer and not re.fullmatch(r"[^<>]+ <[^<>@]+@[^<>]+>", project.maintainer):
        raise Unavailable(f"{path}: MAINTAINER is 'NAME <MAIL>', not '{project.maintainer}'")
    return project
