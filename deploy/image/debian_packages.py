"""Debian's packages of any architecture, without a change of what is installed here: apt with a
state of its own. apt verifies what it downloads by Debian's signatures."""

import email.parser
import hashlib
import pathlib
import re
import subprocess
import tarfile
from dataclasses import dataclass

# Where Debian 12 has its sources. Those of others are left aside.
SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")


class Unavailable(Exception):
    """Something that is needed cannot be had. The text is for people."""


def output_of(*arguments, **more):
    """What a program prints."""
    arguments = [str(argument) for argument in arguments]
    try:
        ran = subprocess.run(arguments, capture_output=True, text=True, **more)
    except FileNotFoundError:
        raise Unavailable(f"there is no program '{arguments[0]}'") from None
    if ran.returncode != 0:
        raise Unavailable(f"{' '.join(arguments)}: {ran.stderr.strip()}")
    return ran.stdout


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Package:
    """A file .deb, with what its control file says."""

    path: pathlib.Path
    name: str
    version: str
    architecture: str
    source: str
    maintainer: str
    control: str

    @staticmethod
    def read(path):
        control = output_of("dpkg-deb", "--field", path)
        fields = email.parser.Parser().parsestr(control)
        name = fields["Package"]
        return Package(
            path, name, fields["Version"], fields["Architecture"],
            fields.get("Source", name).split()[0], fields["Maintainer"], control,
        )

    def unpack(self, directory):
        """A directory that is a link there stays one."""
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", self.path], stdout=subprocess.PIPE
        ) as reader:
            output_of("tar", "--extract", "--keep-directory-symlink", "--no-same-owner",
                      f"--directory={directory}", stdin=reader.stdout)

    def files(self):
        """Where its files and links are, once it is installed."""
        with (
            subprocess.Popen(
                ["dpkg-deb", "--fsys-tarfile", self.path], stdout=subprocess.PIPE
            ) as reader,
            tarfile.open(fileobj=reader.stdout, mode="r|") as archive,
        ):
            return [member.name.lstrip(".") for member in archive if not member.isdir()]


class Store:
    """Packages of one architecture, in a directory that may be kept. The index is renewed when
    something is not found. One process at a time uses it."""

    def __init__(self, directory, architecture):
        directory = pathlib.Path(directory).resolve()
        self._archives = directory / "archives"
        (self._archives / "partial").mkdir(parents=True, exist_ok=True)
        (directory / "lists/partial").mkdir(parents=True, exist_ok=True)
        # Nothing is installed: what a package depends on is then all of it.
        (directory / "status").touch()
        self._none = directory / "none"
        (self._none / "partial").mkdir(parents=True, exist_ok=True)
        sources = next((path for path in SOURCES if self._is_debian_12(path)), None)
        if sources is None:
            raise Unavailable(f"no sources of Debian 12 in {' or '.join(SOURCES)}")
        settings = {
            "Acquire::ForceHash": "SHA256",
            "Acquire::Languages": "none",
            "APT::Architecture": architecture,
            "APT::Architectures": architecture,
            "APT::Sandbox::User": "",
            "Dir::Cache": directory,
            "Dir::Cache::Archives": self._archives,
            "Dir::Etc::SourceList": sources,
            "Dir::Etc::SourceParts": "-",
            "Dir::State": directory,
            "Dir::State::Lists": directory / "lists",
            "Dir::State::Status": directory / "status",
        }
        self._apt_get = [
            "apt-get", "--quiet", "--yes", "--no-install-recommends",
            *(f"--option={key}={value}" for key, value in settings.items()),
        ]

    def fetch(self, names):
        """The paths of these packages, in the order of the names; NAME=VERSION is that version."""
        found = self._fetch("download", names)
        return [next(path for path in found if path.name.split("_")[0] == name.split("=")[0])
                for name in names]

    def fetch_with_dependencies(self, names):
        """The paths of these packages and of all that they depend on."""
        return self._fetch("install", names)

    def renew(self):
        output_of(*self._apt_get, "update")

    def _fetch(self, command, names):
        try:
            return self._attempt(command, names)
        except Unavailable:
            # An old index leads to packages that are gone, and a new directory has none.
            self.renew()
            return self._attempt(command, names)

    def _attempt(self, command, names):
        # Of what it has, apt prints nothing.
        nothing = f"--option=Dir::Cache::Archives={self._none}"
        told = output_of(*self._apt_get, nothing, "--print-uris", command, *names)
        wanted = re.findall(r"^'\S+' (\S+\.deb) \d+ SHA256:(\w+)", told, re.MULTILINE)
        if not wanted:
            raise Unavailable(f"apt-get tells nothing of {' '.join(names)}: {told.strip()}")
        paths = [self._archives / name for name, _ in wanted]
        if not all(path.exists() and sha256(path) == digest
                   for path, (_, digest) in zip(paths, wanted)):
            options = [] if command == "download" else ["--download-only"]
            output_of(*self._apt_get, *options, command, *names, cwd=self._archives)
        return paths

    @staticmethod
    def _is_debian_12(path):
        path = pathlib.Path(path)
        return path.exists() and re.search(r"(?<![\w-])bookworm\b", path.read_text())
