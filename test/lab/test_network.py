"""Tests a network adapter for a Pod: the data that Multus reads, and the move of the interface into
the Pod and back. The CNI plugin `host-device` moves it, called as Multus does."""

import json
import unittest

from emulator import NETWORK_ADAPTER
from lab import LabTest

# One unit is the adapter's PCI function, which stays while the interface moves.
CONFIG = """\
apiVersion: patchbay/v1
kind: Config
defaults: {domain: lab.example.com, linger: 1h}
resources:
  - name: adapter
    match: {subsystem: pci, pci: {class: "02", driver: e1000}}
    id: $(pci.address)
    deviceInfo: pci
    claim: shared
  - name: port
    match: {subsystem: net, pci: {driver: e1000}}
    id: port
    claim: shared
"""

ADAPTER = "lab.example.com/adapter"
PORT = "lab.example.com/port"
DIRECTORY = "/tmp/devinfo"
POD = "/run/pod"  # The network namespace of the Pod.


class Network(LabTest):
    def setUp(self):
        super().setUp()
        self.machine.run(f"mkdir -p {DIRECTORY}")
        self.daemon = self.run_daemon(CONFIG, f"--device-info-dir {DIRECTORY}")
        self.daemon.expect_units(
            {(ADAPTER, NETWORK_ADAPTER): "Healthy", (PORT, "port"): "Healthy"}
        )

    def host_device(self, command):
        """Calls the plugin as Multus does, which passes the allocated id in `runtimeConfig`."""
        config = {
            "cniVersion": "0.4.0",
            "name": "lab",
            "type": "host-device",
            "capabilities": {"deviceID": True},
            "runtimeConfig": {"deviceID": NETWORK_ADAPTER},
        }
        variables = f"CNI_COMMAND={command} CNI_CONTAINERID=pod CNI_NETNS={POD}"
        return self.machine.run(
            f"echo '{json.dumps(config)}' | {variables} CNI_IFNAME=net1 CNI_PATH=/bin host-device"
        )

    def interfaces(self, where=""):
        """The names of the interfaces in a namespace, without lo."""
        shown = self.machine.run(f"{where} ip -o link").splitlines()
        names = [line.split(": ")[1].partition("@")[0] for line in shown if ": " in line]
        return [name for name in names if name != "lo"]

    def test_multus_finds_the_pci_address(self):
        """The format is the Device Information Specification, version 1.1.0."""
        name = f"lab.example.com-adapter-{NETWORK_ADAPTER}-device.json"
        self.assertEqual(self.machine.run(f"ls {DIRECTORY}"), name)
        self.assertEqual(
            json.loads(self.machine.run(f"cat {DIRECTORY}/{name}")),
            {"type": "pci", "version": "1.1.0", "pci": {"pci-address": NETWORK_ADAPTER}},
        )

    def test_the_interface_goes_into_a_pod_and_comes_back(self):
        (before,) = self.interfaces()
        self.machine.run(f"touch {POD}; unshare -n mount --bind /proc/self/ns/net {POD}")
        self.afterwards(f"umount {POD}")

        added = json.loads(self.host_device("ADD"))
        self.assertEqual([each["name"] for each in added["interfaces"]], ["net1"])
        self.assertEqual(self.interfaces(), [])
        self.assertEqual(self.interfaces(f"nsenter --net={POD}"), ["net1"])
        # The host loses the port, but not the function.
        self.daemon.expect_changes(f"~ {PORT}  port  Unhealthy")

        self.host_device("DEL")
        self.daemon.expect_changes(f"~ {PORT}  port  Healthy")
        self.assertEqual(self.interfaces(), [before])


if __name__ == "__main__":
    unittest.main()
