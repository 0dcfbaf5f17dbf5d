"""Makes the packages of a build for their tests, and a Debian 12 to install them in."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PATCHBAY_BUILD") or ROOT / "build/release").resolve()
APT = pathlib.Path("/etc/apt")
SOURCES = APT / "sources.list", APT / "sources.list.d/debian.sources"
UNIT = "usr/lib/systemd/system/patchbay.service"


def run(*arguments, **more):
    """Runs a command and returns its standard output. An exception has its standard error."""
    done = subprocess.run(arguments, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(patchbay VERSION ([0-9.]+)", text, re.MULTILINE)[1]


def package(out, *options, **more):
    """Makes the Debian package, the archive, that of the kubectl plugin, and its manifest for krew."""
    made = run(ROOT / "scripts/package", "--build", BUILD, "--out", out, *options, **more)
    return [pathlib.Path(file) for file in made.split()]


def libraries_of(deb):
    """The packages that a package depends on, or recommends."""
    return re.findall(r"(\S+) \(>=", run("dpkg-deb", "--field", deb, "Depends", "Recommends"))


def make_debian(root, work, *include):
    """Unpacks a minimal Debian 12 with these packages, from this machine's mirrors. Requires root and
    mmdebstrap. `work` is a directory for its settings."""
    sources = [file for file in SOURCES if file.is_file() and "bookworm" in file.read_text()]
    if not sources:
        raise AssertionError("no sources of Debian 12 here")
    settings = run("apt-config", "dump").splitlines()
    (work / "acquire.conf").write_text("".join(
        f"{line}\n" for line in settings
        if line.startswith("Acquire::") and not line.startswith("Acquire::IndexTargets")
    ))
    # The mounts of mmdebstrap disappear with the namespace, even if it is killed.
    run("unshare", "--mount", "--propagation", "private",
        "mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
        f"--aptopt={work / 'acquire.conf'}", f"--include={','.join(include)}",
        "bookworm", root, *sources)
