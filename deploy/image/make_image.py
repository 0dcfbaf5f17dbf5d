"""Makes images from built binaries. scripts/image builds them and calls this program; its --help
lists the options."""

import argparse
import os
import pathlib
import platform
import shutil
import sys
import tempfile

import layer
import locked_packages
import root_tree
import sbom
from debian_packages import Unavailable, output_of
from linked_packages import linked_packages
from oci_layout import Layout, digest_of
from project import read_project
from source_tree import ROOT, read_source

PACKAGES = ROOT / "build/packages"
LIMIT = 30_000_000  # Maximum uncompressed size of a plain image, in bytes.
PRESETS = {"amd64": "release", "arm64": "release-arm64"}
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class Image:
    """The files of one architecture, in a temporary directory."""

    def __init__(self, architecture, debug, scratch, exactly, binary):
        native = architecture == MACHINES.get(platform.machine())
        self.architecture = architecture
        self.build = ROOT / "build" / ("release" if native else PRESETS[architecture])
        if binary:
            self.build = binary.resolve().parents[1]
        self.source = read_source(self.build)
        names = root_tree.PACKAGES + (root_tree.DEBUG_PACKAGES if debug else ())
        packages = locked_packages.fetch(PACKAGES, architecture, names, exactly)
        linked = linked_packages(
            self.build, None if native else ROOT / "build/sysroot" / architecture)
        self.tree, unpacked = root_tree.make(
            scratch / "root", architecture, self.build / "src", packages,
            scratch / "packages")
        if debug:
            root_tree.add_debug_programs(self.tree, unpacked, busybox_commands(scratch))
        add_licences(self.tree, linked)
        sbom.write(self.tree, packages, linked, self.source,
                   f"patchbay{'-debug' if debug else ''}-{self.source.version}-{architecture}")

    def set_times(self):
        """Makes copies from the directory equal to the layer."""
        for path in layer.members(self.tree.root):
            os.utime(path, (self.source.epoch, self.source.epoch), follow_symlinks=False)


def add_licences(tree, linked):
    """The licences of Patchbay and of the linked packages."""
    tree.copy(ROOT / "LICENSE", None, "/usr/share/doc/patchbay/LICENSE")
    for package in linked:
        path = f"/usr/share/doc/patchbay/linked/{package.name}.copyright"
        tree.copy(package.copyright, None, path)


def busybox_commands(scratch):
    """The commands of busybox, as reported by this machine's busybox of the same version."""
    native = MACHINES[platform.machine()]
    (package,) = locked_packages.fetch(PACKAGES, native, ["busybox-static"])
    place = scratch / "busybox"
    place.mkdir()
    package.unpack(place)
    return output_of(place / "bin/busybox", "--list").split()


def labels_of(source, project, debug):
    more = " with busybox and tools for probes" if debug else ""
    return {f"org.opencontainers.image.{key}": value for key, value in {
        "authors": project.maintainer,
        "created": source.created,
        "description": source.description,
        "licenses": "Apache-2.0",
        "revision": source.commit,
        "source": project.source,
        "title": project.name + more,
        "version": source.version,
    }.items() if value}


def configuration():
    return {
        "Entrypoint": [root_tree.BINARY],
        "Env": ["PATH=/usr/local/bin:/usr/sbin:/usr/bin"],
        "WorkingDir": "/",
    }


def write_images(options):
    """Writes all chosen architectures as one layout."""
    layout = None
    project = read_project()
    name = options.name or f"{project.registry or 'registry.example.com'}/patchbay"
    for architecture in options.arch:
        with tempfile.TemporaryDirectory() as scratch:
            image = Image(architecture, options.debug, pathlib.Path(scratch), options.locked,
                          options.binary)
            source = image.source
            data = layer.archive(image.tree.root, source.epoch)
            if layout is None:
                suffix = "-debug" if options.debug else ""
                only = f"-{architecture}" if len(options.arch) == 1 else ""
                path = options.output / f"patchbay-{source.version}{suffix}{only}.oci"
                layout = Layout(path)
            layout.add(architecture, source.created, layer.compressed(data), digest_of(data),
                       configuration(), labels_of(source, project, options.debug))
            beside = path.with_name(f"patchbay-{source.version}{suffix}-{architecture}.spdx.json")
            shutil.copyfile(image.tree.root / root_tree.SBOM.lstrip("/"), beside)
            print(f"{architecture}: {len(data) / 1e6:.1f} MB uncompressed", file=sys.stderr)
            if not options.debug and len(data) > LIMIT:
                raise Unavailable(f"larger than the maximum of {LIMIT / 1e6:.0f} MB")
    digest = layout.finish(name, source.version + suffix)
    layout.pack(path.with_suffix(path.suffix + ".tar"), source.epoch)
    print(f"{path}  {digest}")


def write_root(options):
    """Writes only the files, for builds with a container engine such as deploy/Dockerfile."""
    (architecture,) = options.arch
    if options.root.exists():
        raise Unavailable(f"{options.root} already exists")
    with tempfile.TemporaryDirectory() as scratch:
        image = Image(architecture, options.debug, pathlib.Path(scratch), options.locked,
                      options.binary)
        image.set_times()
        shutil.copytree(image.tree.root, options.root, symlinks=True)
        os.chmod(options.root, 0o755)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", action="append", choices=locked_packages.ARCHITECTURES)
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--name")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/image")
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--locked", action="store_true")
    parser.add_argument("--update-packages", action="store_true")
    options = parser.parse_args()
    try:
        if options.update_packages:
            names = (*root_tree.PACKAGES, *root_tree.DEBUG_PACKAGES)
            locked_packages.update(PACKAGES, names)
        elif options.root:
            write_root(options)
        else:
            write_images(options)
    except Unavailable as why:
        print(f"scripts/image: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
