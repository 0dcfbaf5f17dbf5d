"""Completes the files of a release: scripts/release builds images and packages, and calls this
program for the rest. It adds the chart, the manifest, the schema, an SBOM beside each file, the
release notes and SHA256SUMS."""

import argparse
import gzip
import io
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "image"))
import sbom
from debian_packages import Unavailable, output_of, sha256
from linked_packages import PROGRAMS, linked_packages
from project import read_project
from source_tree import ROOT, read_source

DEPLOY = ROOT / "deploy"
PLACEHOLDER = "registry.example.com"


def replaced(text, old, new):
    if text.count(old) != 1:
        raise Unavailable(f"'{old.strip()}' occurs {text.count(old)} times, not once")
    return text.replace(old, new)


def chart_files(project, registry):
    """The chart, with the addresses of the project: path in the archive -> content."""
    chart = DEPLOY / "chart/patchbay"
    files = {f"patchbay/{path.relative_to(chart)}": path.read_bytes()
             for path in sorted(chart.rglob("*")) if path.is_file()}
    about = files["patchbay/Chart.yaml"].decode()
    if project.source:
        about += f"home: {project.source}\nsources: [{project.source}]\n"
    if project.maintainer:
        name, mail = re.fullmatch(r"(.+?) <(.+)>", project.maintainer).groups()
        about += f"maintainers:\n  - {{name: {name}, email: {mail}}}\n"
    files["patchbay/Chart.yaml"] = about.encode()
    if registry:
        values = files["patchbay/values.yaml"].decode()
        values = replaced(values, '\n  repository: ""\n', f"\n  repository: {registry}/patchbay\n")
        files["patchbay/values.yaml"] = values.encode()
    return files


def write_chart(file, files, epoch):
    """As `helm package`, but with the same bytes each time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mtime = len(content), epoch
            archive.addfile(member, io.BytesIO(content))
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(buffer.getvalue())


def write_manifest(file, registry):
    text = (DEPLOY / "patchbay.yaml").read_text()
    if registry:
        text = replaced(text, f" image: {PLACEHOLDER}/", f" image: {registry}/")
    file.write_text(text)


def notes(version):
    """The section of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## {re.escape(version)} .*?\n(.*?)(?=^## |\Z)", text,
                        re.MULTILINE | re.DOTALL)
    if section is None:
        raise Unavailable(f"CHANGELOG.md has no section {version}")
    return section[1].strip() + "\n"


def unpack(file, root):
    if file.suffix == ".deb":
        output_of("dpkg-deb", "--extract", file, root)
    else:
        output_of("tar", "--extract", "--file", file, "--directory", root)


def write_sboms(out, builds, source):
    """SBOMs of packages and archives. Those of images are made with them."""
    architectures = {}
    for build in builds:
        machine = output_of("readelf", "--file-header", build / "src/patchbay")
        architecture = "arm64" if "AArch64" in machine else "amd64"
        native = architecture == output_of("dpkg", "--print-architecture").strip()
        sysroot = None if native else ROOT / "build/sysroot" / architecture
        architectures[architecture] = build, sysroot
    for file in sorted((*out.glob("*.deb"), *out.glob("*.tgz"), *out.glob("*.tar.gz"))):
        architecture = re.search(r"_(amd64|arm64)\.deb|-linux-(amd64|arm64)\.", file.name)
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            unpack(file, root)
            linked = ()
            if architecture:
                programs = [name for name in PROGRAMS if any(root.rglob(f"bin/{name}"))]
                build, sysroot = architectures[architecture[1] or architecture[2]]
                linked = linked_packages(build, sysroot, programs)
            text = sbom.artifact(file, root, source, linked)
        file.with_name(f"{file.name}.spdx.json").write_text(text)


def write_sums(out):
    sums = out / "SHA256SUMS"
    files = sorted(path for path in out.iterdir() if path != sums)
    sums.write_text("".join(f"{sha256(file)}  {file.name}\n" for file in files))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path, help="has the images and packages")
    parser.add_argument("--build", type=pathlib.Path, action="append", required=True,
                        help="the build of each architecture")
    parser.add_argument("--registry", default="")
    options = parser.parse_args()
    try:
        source = read_source(options.build[0])
        project = read_project()
        registry = options.registry or project.registry
        out = options.out
        write_chart(out / f"patchbay-{source.version}.tgz", chart_files(project, registry),
                    source.epoch)
        write_manifest(out / "patchbay-daemonset.yaml", registry)
        shutil.copyfile(ROOT / "schemas/patchbay.v1.schema.json", out / "patchbay.v1.schema.json")
        write_sboms(out, options.build, source)
        (out / "release-notes.md").write_text(notes(source.version))
        write_sums(out)
    except Unavailable as why:
        print(f"scripts/release: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
