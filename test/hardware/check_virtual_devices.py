"""Checks the hardware facts of virtual devices on described machines, as "Hardware of virtual
devices" in docs/configuration.md and examples/configs/virtual-devices.yaml state them.

Exits with 77, which skips the test, for users other than root.
"""

import sys

import checks

FACTS = ("driver", "pci.address", "pci.vendor", "usb.vendor", "numaNode")
CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/thing
    match: {{subsystem: [block, net, video4linux]}}
    id: $(name)/{facts}
    devices: []
""".format(facts="/".join(f"$({fact}:--)" for fact in FACTS))

# The facts of each device in the order above; "-" if a fact is absent.
EXPECTED = {
    "nvme-multipath": {
        "nvme0n1": "nvme 0000:02:00.0 144d - 0",
        "nvme0n1p1": "nvme 0000:02:00.0 144d - 0",
        "nvme1n1": "nvme - 144d - 1",
    },
    "virtual-devices": {
        "sda": "ahci 0000:00:17.0 8086 - 0",
        "sdb": "ahci 0000:00:17.0 8086 - 0",
        "sdc": "mpt3sas 0000:81:00.0 1000 - 1",
        "sdd": "uas 0000:00:14.0 8086 0781 0",
        "md0": "- - - - 0",
        "md1": "- - - - -",
        "dm-0": "- - - - 0",
        "dm-1": "- - - - 0",
        "loop0": "- - - - -",
        "eth0": "ixgbe 0000:01:00.0 8086 - 0",
        "eth1": "ixgbe 0000:01:00.1 8086 - 0",
        "bond0": "- - - - 0",
        "bond0.7": "- - - - 0",
        "br0": "- - - - -",
        "veth0": "- - - - -",
        "v4l-subdev0": "ov2740 0000:00:15.1 8086 - 0",
        "v4l-subdev1": "- - - - -",
        "eth2": "virtio_net 0000:00:04.0 1af4 - -",
        "vda": "virtio_blk 0000:00:05.0 1af4 - 1",
    },
}


def facts_on(machine):
    """The facts of each device. `discover` shows them in its id, after the name and a `_`."""
    with checks.made(checks.described(machine)) as host:
        (resource,) = checks.discover(host, CONFIG)
    # An id cannot contain a slash, so the separator is a `_`.
    return dict(unit["id"].split("_", 1) for unit in resource["units"])


def check():
    complaints = []
    for machine, expected in EXPECTED.items():
        found = facts_on(machine)
        for name in sorted(expected.keys() | found.keys()):
            wanted = expected.get(name, "nothing").replace(" ", "_")
            if wanted != found.get(name):
                complaints.append(f"{machine}: {name}: expected {wanted}, got {found.get(name)}")
    return complaints


if __name__ == "__main__":
    sys.exit(checks.run(check))
