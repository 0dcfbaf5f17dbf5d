"""Steps before a container starts, on a device with a real reset."""

import time
import unittest

from daemon import Refused
from lab import RESET_EXAMPLE, UART, LabTest, changed, example
from lines import PATIENCE

LINK = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_LAB1-if00-port0"
RESET = r"usb (\S+): reset full-speed USB device"


class PreStart(LabTest):
    def setUp(self):
        super().setUp()
        # An emulated machine is much slower than a real one.
        config = changed(example(RESET_EXAMPLE), "for: 5s", "for: 20s")
        self.daemon = self.run_daemon(config)
        self.node = self.machine.plug("a", 1, serial="LAB1")
        self.daemon.expect_changes(f"+ {UART}  LAB1  Healthy")

    def comes_back(self):
        """Expects that the unit is lost and returns. A reset unbinds the driver, which removes the
        serial line."""
        self.daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy", f"~ {UART}  LAB1  Healthy")

    def test_the_device_is_reset_and_comes_back(self):
        self.daemon.start(UART, "LAB1")
        self.assertEqual(self.machine.kernel_says(RESET)[1], "1-1")
        self.assertRegex(self.node_behind(LINK), "ttyUSB")
        self.comes_back()
        self.daemon.start(UART, "LAB1")
        self.machine.kernel_says(RESET)
        self.comes_back()

    def test_a_line_that_is_held_open_is_reset_all_the_same(self):
        self.hold_open(self.node)
        self.daemon.start(UART, "LAB1")
        after = self.node_behind(LINK)
        self.assertNotEqual(after, self.node)
        self.comes_back()
        (given,) = self.daemon.allocate(UART, "LAB1")["devices"]
        self.assertEqual(given["host_path"], LINK)

    def test_only_the_units_of_the_container_are_reset(self):
        self.machine.plug("b", 2, serial="LAB2")
        self.daemon.expect_changes(f"+ {UART}  LAB2  Healthy")
        self.daemon.start(UART, "LAB2")
        self.daemon.expect_changes(f"~ {UART}  LAB2  Unhealthy", f"~ {UART}  LAB2  Healthy")
        self.assertEqual(self.machine.kernel_says(RESET)[1], "1-2")

    def test_the_caller_is_told_that_the_device_is_gone(self):
        self.machine.unplug("a")
        self.daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy")
        gone = "FAILED_PRECONDITION: unit 'LAB1' is unhealthy: the device is gone"
        # Retries, because the link can be visible before the kernel's event of the device arrives.
        deadline = time.monotonic() + PATIENCE
        while (told := self.refusal()) != gone and time.monotonic() < deadline:
            self.assertIn("does not exist", told)
        self.assertEqual(told, gone)

    def test_the_caller_is_told_why_it_cannot_be_reset(self):
        name = self.machine.run("sed -n s/DEVNAME=//p /sys/bus/usb/devices/1-1/uevent")
        self.machine.run(f"rm /dev/{name}")
        self.assertEqual(
            self.refusal(),
            f"FAILED_PRECONDITION: unit 'LAB1': step 1, usbReset /dev/{name}: it does not exist",
        )

    def refusal(self):
        with self.assertRaises(Refused) as refused:
            self.daemon.start(UART, "LAB1")
        return str(refused.exception)


if __name__ == "__main__":
    unittest.main()
