"""Tests the examples for boards: the devices on a board's header, GPIO, I2C and SPI, and an adapter
on its USB."""

import re
import unittest

from lab import COMPUTER, LabTest, changed, example

HEADER_EXAMPLE = "board-header.yaml"
BUSES_EXAMPLE = "board-buses.yaml"
HEADER = "lab.example.com/header"
GPIO = "lab.example.com/gpio"
I2C = "lab.example.com/i2c"
SPI = "lab.example.com/spi"
UART = "lab.example.com/uart"

# The name in board.dts.
GPIO_PLACE = "pl061_9030000"
I2C_PLACE = "header_i2c"
SPI_PLACES = "header_spi_device_0", "header_spi_device_1"
BY_ID = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_LAB1-if00-port0"

SPI_DRIVER = "/sys/bus/platform/drivers/spi_gpio"
GPIO_DRIVER = "/sys/bus/amba/drivers/pl061_gpio"

HEADER_DISCOVERED = """\
RESOURCE                UNIT    STATE    DEVICE                                                     \
           ID FROM  REASON
lab.example.com/header  header  healthy  /dev/i2c-1 gpio=/dev/gpiochip0 spi=/dev/spidev0.0 spi=/dev/\
spidev0.1  by"""

BUSES_DISCOVERED = """\
RESOURCE              UNIT                 STATE    DEVICE          ID FROM     REASON
lab.example.com/gpio  pl061_9030000        healthy  /dev/gpiochip0  id
lab.example.com/i2c   header_i2c           healthy  /dev/i2c-1      id
lab.example.com/spi   header_spi_device_0  healthy  /dev/spidev0.0  id
lab.example.com/spi   header_spi_device_1  healthy  /dev/spidev0.1  id
lab.example.com/uart  LAB1:00              healthy  /dev/ttyUSB0    usb.serial"""

# sysfs also has an older device of the same controller, without a node.
EXPLAINED = """\
DEVICE                                                KIND           SUBSYSTEM  NODE
{0}  kernel device  gpio

lab.example.com/header, member gpio (/tmp/lab.yaml:15:16)
  does not match:
    /tmp/lab.yaml:15:62: property: {{OF_COMPATIBLE_0: "raspberrypi,rp1-gpio"}} -- \
property.OF_COMPATIBLE_0 is absent

rules for other kinds of devices:
  lab.example.com/header (/tmp/lab.yaml:10:12): subsystem: "i2c-dev" -- subsystem is "gpio"
  lab.example.com/header, member spi (/tmp/lab.yaml:13:20): subsystem: "spidev" -- subsystem is \
"gpio\""""


def answer(nodes, envs):
    """The answer for a container with these nodes, each at its host path."""
    return {
        "annotations": {},
        "cdi_devices": [],
        "devices": [
            {"container_path": node, "host_path": node, "permissions": "rw"} for node in nodes
        ],
        "envs": envs,
        "mounts": [],
    }


@unittest.skipUnless(COMPUTER.device_tree, "what arm64's machine has")
class Board(LabTest):
    def given(self, resource, *units):
        """The answer to Allocate. Expects that each of its nodes can be opened."""
        answer = self.daemon.allocate(resource, *units)
        for device in answer["devices"]:
            self.machine.run(f"test -c {device['host_path']} && : <>{device['host_path']}")
        return answer


class Header(Board):
    """All devices of the header are one unit."""

    def setUp(self):
        super().setUp()
        self.daemon = self.run_daemon(example(HEADER_EXAMPLE))
        self.daemon.expect_changes(f"+ {HEADER}  header  Healthy")

    def test_a_container_gets_all_of_it(self):
        self.assertEqual(
            self.given(HEADER, "header"),
            answer(["/dev/i2c-1", "/dev/spidev0.0", "/dev/spidev0.1", "/dev/gpiochip0"], envs={}),
        )

    def test_it_is_lost_without_one_of_its_buses(self):
        self.machine.run(f"echo header:spi >{SPI_DRIVER}/unbind")
        self.daemon.expect_changes(f"~ {HEADER}  header  Unhealthy")
        self.machine.run(f"echo header:spi >{SPI_DRIVER}/bind")
        self.daemon.expect_changes(f"~ {HEADER}  header  Healthy")

    def test_a_person_is_shown_it_whole(self):
        self.assertEqual(
            self.machine.run("patchbay discover --config /tmp/lab.yaml"), HEADER_DISCOVERED
        )

    def test_a_person_is_told_what_is_no_part_of_it(self):
        older = self.machine.run("readlink -f /sys/class/gpio/gpiochip*")
        self.assertEqual(
            self.machine.run("patchbay explain /sys/class/gpio/gpiochip* /tmp/lab.yaml"),
            EXPLAINED.format(older),
        )


class HeaderInPod(Board):
    def test_the_model_is_read_where_validate_says(self):
        """A container has no /proc/device-tree."""
        self.machine.write("/tmp/pod.yaml", example(HEADER_EXAMPLE))
        needs = self.machine.run("patchbay validate /tmp/pod.yaml")
        host, pod = re.search(r"mount the host's (\S+) as (\S+), and write", needs).groups()
        self.machine.run(f"mkdir -p {pod} && mount -o bind {host} {pod}")
        self.afterwards(f"umount {pod}")
        daemon = self.run_daemon(changed(example(HEADER_EXAMPLE), "/proc/device-tree", pod))
        daemon.expect_changes(f"+ {HEADER}  header  Healthy")


class Buses(Board):
    """Each bus is a separate unit, and so is an adapter on USB."""

    def setUp(self):
        super().setUp()
        self.node = self.machine.plug("a", 1, serial="LAB1")
        self.machine.run("udevadm settle")
        self.daemon = self.run_daemon(example(BUSES_EXAMPLE))
        self.daemon.expect_units({
            (GPIO, GPIO_PLACE): "Healthy",
            (I2C, I2C_PLACE): "Healthy",
            (SPI, SPI_PLACES[0]): "Healthy",
            (SPI, SPI_PLACES[1]): "Healthy",
            (UART, "LAB1:00"): "Healthy",
        })

    def test_a_container_gets_what_it_asked_for(self):
        self.assertEqual(
            self.given(GPIO, GPIO_PLACE),
            answer(["/dev/gpiochip0"], {"GPIO_CHIPS": "/dev/gpiochip0"}),
        )
        self.assertEqual(
            self.given(I2C, I2C_PLACE), answer(["/dev/i2c-1"], {"I2C_BUSES": "/dev/i2c-1"})
        )
        self.assertEqual(
            self.given(SPI, *SPI_PLACES),
            answer(["/dev/spidev0.0", "/dev/spidev0.1"],
                   {"SPI_DEVICES": "/dev/spidev0.0,/dev/spidev0.1"}),
        )
        self.assertEqual(self.given(UART, "LAB1:00"), answer([BY_ID], {"UARTS": BY_ID}))
        self.assertEqual(self.node_behind(BY_ID), self.node)

    def test_the_adapter_goes_along_to_another_port(self):
        self.machine.unplug("a")
        self.daemon.expect_changes(f"~ {UART}  LAB1:00  Unhealthy")
        node = self.machine.plug("a", 2, serial="LAB1")
        self.daemon.expect_changes(f"~ {UART}  LAB1:00  Healthy")
        self.assertEqual(self.given(UART, "LAB1:00"), answer([BY_ID], {"UARTS": BY_ID}))
        self.assertEqual(self.node_behind(BY_ID), node)

    def test_the_buses_go_and_come_with_the_controller_of_their_lines(self):
        """The kernel removes the dependants of a controller before its driver."""
        self.machine.run(f"echo 9030000.pl061 >{GPIO_DRIVER}/unbind")
        lost = {
            (GPIO, GPIO_PLACE): "Unhealthy",
            (I2C, I2C_PLACE): "Unhealthy",
            (SPI, SPI_PLACES[0]): "Unhealthy",
            (SPI, SPI_PLACES[1]): "Unhealthy",
            (UART, "LAB1:00"): "Healthy",
        }
        self.daemon.expect_units(lost)
        self.machine.run(f"echo 9030000.pl061 >{GPIO_DRIVER}/bind")
        self.daemon.expect_units({unit: "Healthy" for unit in lost})

    def test_a_person_is_shown_each(self):
        self.assertEqual(self.machine.run("patchbay validate /tmp/lab.yaml"), "ok: 4 resources")
        self.assertEqual(
            self.machine.run("patchbay discover --config /tmp/lab.yaml"), BUSES_DISCOVERED
        )


if __name__ == "__main__":
    unittest.main()
