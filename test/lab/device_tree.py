"""Makes the device tree of a computer: that of QEMU with additions."""

import pathlib
import tempfile

from programs import output_of


def write_device_tree(path, qemu, additions):
    """Writes the device tree to `path`. `qemu(machine)` is the command line of the computer with
    this -machine argument."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        output_of(qemu(f"dumpdtb={directory / 'made'}"))
        compile_tree("dtb", "dts", directory / "made", directory / "made.dts")
        # If a property occurs twice, the later one is used.
        both = (directory / "made.dts").read_text() + additions.read_text()
        (directory / "both.dts").write_text(both)
        compile_tree("dts", "dtb", directory / "both.dts", path)


def compile_tree(source_format, format, source, path):
    output_of(["dtc", "--quiet", "--in-format", source_format, "--out-format", format, "--out",
               path, source])
