"""Downloads Debian packages of any architecture with apt and its own state directory. The installed
packages of this machine do not change. apt verifies downloads by Debian's signatures."""

import email.parser
import hashlib
import pathlib
import re
import subprocess
import tarfile
from dataclasses import dataclass

# The files with Debian 12's sources. Other sources are ignored.
SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")


class Unavailable(Exception):
    """A required package, program or file is unavailable. The text is for users."""


def output_of(*arguments, **more):
    """The standard output of a program."""
    arguments = [str(argument) for argument in arguments]
    try:
        ran = subprocess.run(arguments, capture_output=True, text=True, **more)
    except FileNotFoundError:
        raise Unavailable(f"program '{arguments[0]}' is missing") from None
    if ran.returncode != 0:
        raise Unavailable(f"{' '.join(arguments)}: {ran.stderr.strip()}")
    return ran.stdout


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Package:
    """A .deb file with the fields of its control file."""

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
        """Unpacks into a directory. A directory that is a link there stays a link."""
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", self.path], stdout=subprocess.PIPE
        ) as reader:
            output_of("tar", "--extract", "--keep-directory-symlink", "--no-same-owner",
                      f"--directory={directory}", stdin=reader.stdout)

    def files(self):
        """The paths of its files and links after installation."""
        with (
            subprocess.Popen(
                ["dpkg-deb", "--fsys-tarfile", self.path], stdout=subprocess.PIPE
            ) as reader,
            tarfile.open(fileobj=reader.stdout, mode="r|") as archive,
        ):
            return [member.name.lstrip(".") for member in archive if not member.isdir()]


class Store:
    """Packages of one architecture, in a directory that can be reused. If a package is not found,
    the index is renewed. Only one process at a time may use the directory."""

    def __init__(self, directory, architecture):
        directory = pathlib.Path(directory).resolve()
        self._archives = directory / "archives"
        (self._archives / "partial").mkdir(parents=True, exist_ok=True)
        (directory / "lists/partial").mkdir(parents=True, exist_ok=True)
        # With nothing installed, apt lists all dependencies of a package.
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
        """The paths of these packages, in this order. NAME=VERSION selects a version."""
        found = self._fetch("download", names)
        return [next(path for path in found if path.name.split("_")[0] == name.split("=")[0])
                for name in names]

    def fetch_with_dependencies(self, names):
        """The paths of these packages and of all their dependencies."""
        return self._fetch("install", names)

    def renew(self):
        output_of(*self._apt_get, "update")

    def _fetch(self, command, names):
        try:
            return self._attempt(command, names)
        except Unavailable:
            # An old index names removed packages, and a new directory has no index.
            self.renew()
            return self._attempt(command, names)

    def _attempt(self, command, names):
        # apt prints nothing about packages that it has: use an empty directory.
        nothing = f"--option=Dir::Cache::Archives={self._none}"
        told = output_of(*self._apt_get, nothing, "--print-uris", command, *names)
        wanted = re.findall(r"^'\S+' (\S+\.deb) \d+ SHA256:(\w+)", told, re.MULTILINE)
        if not wanted:
            raise Unavailable(f"apt-get reports no URI for {' '.join(names)}: {told.strip()}")
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
