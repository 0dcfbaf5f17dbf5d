"""The computers of the lab: their QEMU options, and the drivers that they need."""

from dataclasses import dataclass

# Drivers for the devices of every computer: virtual serial lines, USB with a serial adapter, and a
# network adapter.
MODULES = ("virtio_pci", "virtio_console", "xhci_pci", "ftdi_sio", "e1000")


@dataclass(frozen=True)
class Computer:
    architecture: str  # Debian's architecture name, as in the names of packages.
    emulator: str
    machine: str
    cpu: str
    memory: int  # MiB
    console: str
    modules: tuple
    device_tree: str = ""  # Additions to QEMU's own device tree; empty without one.


PC = Computer(
    architecture="amd64", emulator="qemu-system-x86_64", machine="q35", cpu="max", memory=256,
    console="ttyS0", modules=(*MODULES, "nvme"),
)
BOARD = Computer(
    architecture="arm64", emulator="qemu-system-aarch64", machine="virt", cpu="cortex-a76",
    memory=512, console="ttyAMA0",
    modules=(*MODULES, "i2c_dev", "i2c_gpio", "spi_gpio", "9pnet_virtio", "9p"),
    device_tree="board.dts",
)
COMPUTERS = {computer.architecture: computer for computer in (PC, BOARD)}
