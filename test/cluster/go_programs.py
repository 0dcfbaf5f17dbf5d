#!/usr/bin/env python3
"""Programs that tests need and Debian 12 lacks, built from their Go modules below build/go.

Each version is built once and kept. Only the Go module proxy is used, and its content is verified
with the checksum database, as `go` does. Any installed Go is sufficient, including Debian's,
because the required Go is itself a module.

    test/cluster/go_programs.py helm kustomize     # builds missing programs, prints the paths
    test/cluster/go_programs.py --list             # the programs, and which are built
    test/cluster/go_programs.py --own DIR          # the program of a module of this repository
"""

import argparse
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "go"

# The Go version for all programs. If a newer one is installed, that is used.
TOOLCHAIN = "1.26.8"


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of one version: `package` of `module`, or the Go file `source` of this folder."""

    name: str
    module: str
    version: str
    package: str = ""
    source: str = ""  # name of the file beside this one; it becomes the main package
    tags: str = ""
    variables: tuple = ()  # values that the linker sets: "import/path.name=value"

    @property
    def file(self) -> pathlib.Path:
        known = f"{self.name}-{self.version}"
        if self.source:
            known += "-" + hashlib.sha256((HERE / self.source).read_bytes()).hexdigest()[:8]
        return BUILD / known / self.name

    def is_built(self) -> bool:
        return self.file.exists()


def helm() -> Program:
    module, version = "helm.sh/helm/v3", "v3.22.0"
    return Program(
        "helm",
        module,
        version,
        f"{module}/cmd/helm",
        variables=(f"{module}/internal/version.version={version}",),
    )


def kustomize() -> Program:
    module, version = "sigs.k8s.io/kustomize/kustomize/v5", "v5.8.2"
    return Program(
        "kustomize",
        module,
        version,
        module,
        variables=(f"sigs.k8s.io/kustomize/api/provenance.version={version}",),
    )


def kubeconform() -> Program:
    module, version = "github.com/yannh/kubeconform", "v0.8.0"
    return Program("kubeconform", module, version, f"{module}/cmd/kubeconform")


def actionlint() -> Program:
    module = "github.com/rhysd/actionlint"
    return Program("actionlint", module, "v1.7.12", f"{module}/cmd/actionlint")


def containerd(version: str = "v2.2.9") -> Program:
    module = "github.com/containerd/containerd/v2"
    return Program(
        "containerd",
        module,
        version,
        f"{module}/cmd/containerd",
        tags="no_btrfs,no_zfs,no_devmapper,no_aufs",
        variables=(f"{module}/version.Version={version}",),
    )


def containerd_shim(version: str = "v2.2.9") -> Program:
    program = containerd(version)
    return dataclasses.replace(
        program,
        name="containerd-shim-runc-v2",
        package=f"{program.module}/cmd/containerd-shim-runc-v2",
    )


def kubernetes(version: str) -> Program:
    """Kubelet, control plane, etcd and kubectl in one program, selected by its file name."""
    variables = "k8s.io/component-base/version"
    return Program(
        "kubernetes",
        "k8s.io/kubernetes",
        version,
        source="kubernetes.go",
        variables=(
            f"{variables}.gitVersion={version}",
            f"{variables}.gitMajor=1",
            f"{variables}.gitMinor={version.split('.')[1]}",
            f"{variables}.gitTreeState=clean",
        ),
    )


TOOLS = {
    "helm": helm,
    "kustomize": kustomize,
    "kubeconform": kubeconform,
    "actionlint": actionlint,
    "containerd": containerd,
    "containerd-shim-runc-v2": containerd_shim,
}


class BuildError(Exception):
    """A failed build, with its output."""


def _run(command: list, directory: pathlib.Path, environment: dict) -> str:
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        # Tests report errors on standard output, the compiler on standard error.
        said = (done.stdout + done.stderr)[-4000:]
        raise BuildError(f"{' '.join(map(str, command))}, in {directory}:\n{said}")
    return done.stdout


def _environment(directory: pathlib.Path) -> dict:
    return {
        **os.environ,
        "GOFLAGS": "-mod=mod -buildvcs=false",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "CGO_ENABLED": os.environ.get("CGO_ENABLED", "1"),
        "PWD": str(directory),
    }


def _numbers(version: str) -> tuple:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def go() -> str:
    """The `go` command for builds: that of PATH if it is new enough, otherwise the module's."""
    found = shutil.which("go")
    if found is None:
        raise BuildError("there is no `go`; on Debian: apt-get install golang-go (any version)")
    directory = BUILD / "toolchain"
    directory.mkdir(parents=True, exist_ok=True)
    said = _run([found, "version"], directory, _environment(directory))
    if _numbers(said.split()[2]) >= _numbers(TOOLCHAIN):
        return found
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    module = f"golang.org/toolchain@v0.0.1-go{TOOLCHAIN}.linux-{architecture}"
    # Downloads the toolchain as a module. Old versions of `go` reject it as a dependency.
    told = _run([found, "mod", "download", "-json", module], directory, _environment(directory))
    root = pathlib.Path(json.loads(told)["Dir"])
    # Makes the programs executable, which files of a module are not.
    for part in (root / "bin", root / "pkg" / "tool"):
        for file in part.rglob("*"):
            if file.is_file() and not os.access(file, os.X_OK):
                file.chmod(stat.S_IMODE(file.stat().st_mode) | 0o111)
    return str(root / "bin" / "go")


def _write_module(program: Program, directory: pathlib.Path, command: str) -> None:
    """A main module that needs only that program, and Kubernetes' modules in their published
    versions."""
    told = json.loads(
        _run(
            [command, "mod", "download", "-json", f"{program.module}@{program.version}"],
            directory,
            _environment(directory),
        )
    )
    published = pathlib.Path(told["GoMod"]).read_text()
    language = re.search(r"^go (\S+)", published, re.MULTILINE)[1]
    lines = [
        "module patchbay.test/program",
        f"go {language}",
        f"require {program.module} {program.version}",
    ]
    if program.module == "k8s.io/kubernetes":
        # The go.mod of Kubernetes replaces modules by directories, which only a main module may do.
        staged = "v0." + program.version.removeprefix("v1.")
        for name in sorted(set(re.findall(r"(\S+) => \./staging/", published))):
            lines.append(f"replace {name} => {name} {staged}")
    (directory / "go.mod").write_text("\n".join(lines) + "\n")
    if program.source:
        shutil.copy(HERE / program.source, directory / "main.go")
    else:
        (directory / "needed.go").write_text(
            f'//go:build needed\n\npackage needed\n\nimport _ "{program.package}"\n'
        )
    _run([command, "mod", "tidy"], directory, _environment(directory))


def build(program: Program) -> pathlib.Path:
    """The program's file. Builds it if it does not exist; concurrent calls build once."""
    directory = program.file.parent
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.is_built():
            return program.file
        print(f"building {program.name} {program.version} (once)", file=sys.stderr, flush=True)
        command = go()
        _write_module(program, directory, command)
        linker = " ".join(["-s", "-w", *(f"-X {variable}" for variable in program.variables)])
        made = directory / "made"
        arguments = ["-ldflags", linker, "-o", made]
        if program.tags:
            arguments += ["-tags", program.tags]
        built = [command, "build", *arguments, program.package or "."]
        _run(built, directory, _environment(directory))
        made.rename(program.file)
    return program.file


def build_own(directory: pathlib.Path) -> pathlib.Path:
    """The program of a Go module in this repository. Rebuilds it if its sources have changed."""
    sources = sorted(file for file in directory.iterdir() if file.suffix in (".go", ".mod", ".sum"))
    known = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:8]
    program = BUILD / f"{directory.name}-{known}" / directory.name
    program.parent.mkdir(parents=True, exist_ok=True)
    with open(program.parent / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            made = program.parent / "made"
            _run([go(), "build", "-o", made, "."], directory, own_environment(directory))
            made.rename(program)
    return program


def own_environment(directory: pathlib.Path) -> dict:
    """The environment for commands in a Go module of this repository."""
    return {**_environment(directory), "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_ENABLED": "0"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=textwrap.dedent(__doc__), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="*", help="a tool, or kubernetes-vX.Y.Z")
    parser.add_argument("--own", metavar="DIR", help="the program of a module of this repository")
    parser.add_argument("--test", metavar="DIR", help="run the tests of such a module")
    parser.add_argument("--list", action="store_true", help="what there is to build")
    options = parser.parse_args()
    if options.list:
        for name, program in TOOLS.items():
            built = "built" if program().is_built() else ""
            print(f"{name:24} {program().version:10} {built}".rstrip())
        return 0
    try:
        if options.own:
            print(build_own(pathlib.Path(options.own).resolve()))
        if options.test:
            directory = pathlib.Path(options.test).resolve()
            print(_run([go(), "test", "./..."], directory, own_environment(directory)), end="")
        for name in options.name:
            if name.startswith("kubernetes-"):
                print(build(kubernetes(name.removeprefix("kubernetes-"))))
            elif name in TOOLS:
                print(build(TOOLS[name]()))
            else:
                parser.error(f"{name} is none of {', '.join(TOOLS)}, kubernetes-vX.Y.Z")
    except BuildError as error:
        print(f"go_programs.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
