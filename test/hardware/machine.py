"""A machine's hardware, read from a text file.

The lines are those of `udevadm info --export-db`. For data that it omits, they are umockdev's.
A block begins with P: and describes one device of the kernel.

    P: /devices/…             the device's directory, below /sys
    U: tty                    its subsystem
    T: usb_device             its devtype
    V: ftdi_sio               its driver
    N: ttyUSB0                its node, below /dev,
    D: c 188:0                and the node's type and number
    I: 4                      the index of a network interface
    A: idVendor=0403          an attribute: a file below the directory, and its content
    L: physfn=/devices/…      a link below the directory; the target is below /sys
    S: serial/by-id/usb-…     udev: a link to the node, below /dev
    E: ID_BUS=usb             udev: a property
    G: systemd                udev: a tag
    F: /etc/file=text         a file of the host, anywhere
    R: /probes/a=#!/bin/sh    an executable file of the host
    K: /run/vm/a.sock         a socket of the host without a listener
    X: nvidiactl=c 195:255    a node below /dev that belongs to no kernel device
    C: 127.5.0.1:5025         an address where connections are accepted

F:, R:, K:, X: and C: may be outside a block. After a "=", \\n, \\t and \\0 are a new line, a tab
and a NUL. Lines that begin with "#" are comments.

The links `subsystem` and `device`, the files `uevent` and `dev`, and the entries in /sys/bus,
/sys/class and /sys/dev follow from the above and are omitted.
"""

import re
from dataclasses import dataclass, field

# The subsystems whose devices are in /sys/bus. All others are in /sys/class. There is a bus gpio
# and a class gpio; the parent directory of a device of the class is named `gpio`.
BUSES = {
    "dfl", "gpio", "hid", "i2c", "mdev", "pci", "platform", "pnp", "spi", "usb", "usb-serial",
}

ESCAPES = {"\\n": "\n", "\\t": "\t", "\\0": "\0"}
SINGLE = {"U": "subsystem", "T": "devtype", "V": "driver", "N": "node", "D": "number", "I": "index"}
NAMED = {"A": "attributes", "L": "links", "E": "properties"}
LISTED = {"S": "devlinks", "G": "tags"}


@dataclass
class Device:
    path: str
    subsystem: str = ""
    devtype: str = ""
    driver: str = ""
    node: str = ""
    number: str = ""  # "c 188:0"
    index: str = ""
    attributes: dict = field(default_factory=dict)
    links: dict = field(default_factory=dict)
    properties: dict = field(default_factory=dict)
    devlinks: list = field(default_factory=list)
    tags: list = field(default_factory=list)

    @property
    def name(self):
        return self.path.rsplit("/", 1)[1]

    @property
    def on_bus(self):
        return self.subsystem in BUSES and self.path.split("/")[-2] != self.subsystem


@dataclass
class Machine:
    devices: dict = field(default_factory=dict)  # By path.
    files: dict = field(default_factory=dict)
    programs: dict = field(default_factory=dict)
    sockets: list = field(default_factory=list)
    nodes: dict = field(default_factory=dict)  # "c 195:255" by the path below /dev.
    addresses: list = field(default_factory=list)  # ("127.5.0.1", 5025)


class Mistake(Exception):
    """A fault in a machine's file, with its position."""


def read_machine(path):
    machine = Machine()
    device = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            device = _read_line(machine, device, line)
        except ValueError as error:
            raise Mistake(f"{path}:{number}: {error}") from None
    for device in machine.devices.values():
        if not device.subsystem or bool(device.node) != bool(device.number):
            raise Mistake(f"{path}: {device.path}: needs U:, and both or none of N: and D:")
    return machine


def _read_line(machine, device, line):
    """Reads a line. Returns the device to which the next line belongs."""
    if not line or line.startswith("#"):
        return device
    letter, text = line[:1], line[3:]
    if line[1:3] != ": " or not text:
        raise ValueError("neither 'X: text' nor a comment")
    if letter == "F":
        _add(machine.files, text)
    elif letter == "R":
        _add(machine.programs, text)
    elif letter == "K":
        if not text.startswith("/") or text in machine.sockets:
            raise ValueError("an absolute path that is new here is expected")
        machine.sockets.append(text)
    elif letter == "C":
        machine.addresses.append(_address(text))
    elif letter == "X":
        _add(machine.nodes, text)
        _check_number(machine.nodes[text.partition("=")[0]])
    elif letter == "P":
        if not text.startswith("/devices/") or text in machine.devices:
            raise ValueError("a path below /devices that no other device has is expected")
        device = machine.devices[text] = Device(text)
    elif device is None:
        raise ValueError("before the first P:")
    else:
        _read_fact(device, letter, text)
    return device


def _read_fact(device, letter, text):
    if letter in SINGLE:
        if getattr(device, SINGLE[letter]):
            raise ValueError(f"a second {letter}:")
        if letter == "D":
            _check_number(text)
        setattr(device, SINGLE[letter], text)
    elif letter in NAMED:
        _add(getattr(device, NAMED[letter]), text)
    elif letter in LISTED:
        getattr(device, LISTED[letter]).append(text)
    else:
        raise ValueError(f"no such line: {letter}:")


def _check_number(text):
    if not re.fullmatch(r"[bc] \d+:\d+", text):
        raise ValueError("a node's type and number are expected, such as 'c 188:0'")


def _address(text):
    if not (found := re.fullmatch(r"(127\.\d+\.\d+\.\d+):(\d+)", text)):
        raise ValueError("an address of this host is expected, such as 127.5.0.1:5025")
    return found[1], int(found[2])


def _add(values, text):
    name, equals, value = text.partition("=")
    if not equals or name in values:
        raise ValueError("expected NAME=VALUE, with a name that is new here")
    for written, meant in ESCAPES.items():
        value = value.replace(written, meant)
    values[name] = value
