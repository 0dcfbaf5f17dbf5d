"""Checks the default ids of devices on all described machines, by the rule `{subsystem: X, devnode:
"*"}`. No two devices have the same id, except devices without a stable difference.

Exits with 77, which skips the test, for users other than root.
"""

import sys

import checks

# For some machines, the ids by the device node below /dev.
EXPECTED = {
    "coral-sticks": {
        "bus/usb/001/001": "0000:00:14.0:usbv2",
        "bus/usb/002/001": "0000:00:14.0:usbv3",
        "bus/usb/001/002": "0000:00:14.0-usbv2-3",
        "bus/usb/002/005": "0000:00:14.0-usbv2-4",
    },
    "desktop": {
        "sda": "naa.5000c500dc012345",
        "sda1": "naa.5000c500dc012345:p1",
        "sda2": "naa.5000c500dc012345:p2",
        "sdb": "0000:00:1f.2:ata2",
        "sdc": "RTS5179:00",
        "sdd": "RTS5179:00:lun1",
        "input/event3": "0000:00:14.0-usbv2-2:00:event",
        "input/event4": "0000:00:14.0-usbv2-2:01:event",
        "input/event5": "0000:00:14.0-usbv2-2:01:event1",
        "snd/controlC1": "0000:00:1b.0:control",
        "snd/pcmC1D0c": "0000:00:1b.0:pcmD0c",
        "snd/pcmC1D0p": "0000:00:1b.0:pcmD0p",
        "dri/card0": "0000:00:02.0:card",
        "dri/renderD128": "0000:00:02.0",
        "i2c-4": "0000:00:02.0:i915_gmbus_dpb",
        "i2c-5": "0000:00:02.0:i915_gmbus_dpc",
    },
}

# Number of refused devices: disks without a described WWID or port, and adapters and cameras with
# equal serials.
REFUSED = {
    ("disk-server", "block"): 4,
    ("equal-cameras", "usb"): 2,
    ("equal-cameras", "video4linux"): 4,
    ("paired-bench", "tty"): 3,
    ("paired-bench", "usb"): 3,
    ("virtual-devices", "block"): 2,
}


def subsystems_of(machine):
    return sorted({device.subsystem for device in machine.devices.values() if device.node})


def discover(machine, subsystems):
    resources = "".join(
        f'  - {{name: a.io/{i}, match: {{subsystem: "{name}", devnode: "*"}}}}\n'
        for i, name in enumerate(subsystems)
    )
    with checks.made(machine) as host:
        return checks.discover(host, f"apiVersion: patchbay/v1\nkind: Config\nresources:\n{resources}")


def ids_of(resource):
    return {
        unit["members"][0]["devnode"].removeprefix("/dev/"): unit["id"] for unit in resource["units"]
    }


def check_machine(name, complain):
    """Returns how many devices have an id, and how many are refused because of their id."""
    machine = checks.described(name)
    subsystems = subsystems_of(machine)
    if not subsystems:
        return 0, 0
    found = {}
    count = 0
    for subsystem, resource in zip(subsystems, discover(machine, subsystems), strict=True):
        found |= ids_of(resource)
        equal = [r for r in resource["refused"] if "is also the id of" in r["reason"]]
        count += len(equal)
        if len(equal) != REFUSED.get((name, subsystem), 0):
            complain(f"{name}: {subsystem}: {len(equal)} refused: {equal[:1]}")
    for node, wanted in EXPECTED.get(name, {}).items():
        if found.get(node) != wanted:
            complain(f"{name}: {node}: expected {wanted}, got {found.get(node)}")
    return len(found), count


def check():
    complaints = []
    named = refused = 0
    for path in sorted(checks.MACHINES.glob("*.txt")):
        more_named, more_refused = check_machine(path.stem, complaints.append)
        named += more_named
        refused += more_refused
    print(f"{named} devices have an id, {refused} are refused for it")
    return complaints


if __name__ == "__main__":
    sys.exit(checks.run(check))
