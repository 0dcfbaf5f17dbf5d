// Tests the command `suggest` on recorded machines.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kUsbController = R"(
P: /devices/pci0000:00/0000:00:14.0
U: pci
A: class=0x0c0330

P: /devices/pci0000:00/0000:00:14.0/usb1
U: usb
T: usb_device
A: busnum=1
A: devpath=0
A: version= 2.00
)";

/// A serial adapter in a socket of the controller.
struct Adapter {
  int socket;
  std::string product = "6001";
  std::string serial = "A1";
};

/// The lines of the adapter in a machine file. The first socket has the number 2, and its adapter
/// is ttyUSB0.
std::string described(const Adapter& adapter) {
  const int number = adapter.socket - 2;
  return fmt::format(R"(
P: /devices/pci0000:00/0000:00:14.0/usb1/1-{0}
U: usb
T: usb_device
N: bus/usb/001/00{0}
D: c 189:{1}
A: idVendor=0403
A: idProduct={3}
A: busnum=1
A: devpath={0}
A: version= 2.00
A: serial={4}

P: /devices/pci0000:00/0000:00:14.0/usb1/1-{0}/1-{0}:1.0
U: usb
T: usb_interface
V: ftdi_sio
A: bInterfaceNumber=00

P: /devices/pci0000:00/0000:00:14.0/usb1/1-{0}/1-{0}:1.0/tty/ttyUSB{2}
U: tty
N: ttyUSB{2}
D: c 188:{2}
S: serial/by-id/usb-FTDI_{4}-if00-port0
S: serial/by-path/pci-0000:00:14.0-usb-0:{0}:1.0-port0
E: ID_VENDOR_FROM_DATABASE=Future Technology
E: ID_MODEL_FROM_DATABASE=FT{3}
)",
                     adapter.socket, adapter.socket - 1, number, adapter.product, adapter.serial);
}

constexpr const char* kOtherDevices = R"(
P: /devices/pci0000:00/0000:00:1d.0
U: pci
V: e1000e
A: vendor=0x8086
A: device=0x15bb
A: class=0x020000

P: /devices/pci0000:00/0000:00:1d.0/net/eno1
U: net
I: 2

P: /devices/pci0000:00/0000:00:1e.0/block/sda
U: block
T: disk
N: sda
D: b 8:0
E: USEC_INITIALIZED=1

P: /devices/pci0000:00/0000:00:1e.0/block/sda/sda1
U: block
T: partition
N: sda1
D: b 8:1
E: USEC_INITIALIZED=1
E: ID_FS_USAGE=filesystem
E: ID_FS_TYPE=ext4

P: /devices/virtual/tty/ttyS0
U: tty
V: serial8250
N: ttyS0
D: c 4:64
A: type=4

P: /devices/virtual/tty/console
U: tty
A: active=tty0 ttyS0

P: /devices/virtual/input/event0
U: input
N: input/event0
D: c 13:64
E: ID_INPUT_KEYBOARD=1

F: /proc/1/mounts=/dev/sda1 / ext4 rw 0 0\n
F: /proc/1/net/route=Iface Destination Gateway Flags RefCnt Use Metric Mask\neno1 00000000 0102A8C0 0003 0 0 0 00000000\n
F: /etc/motd=hello
)";

class SuggestTest : public CliTest {
 protected:
  SuggestTest() {
    has_devices(described({.socket = 2}) + described({.socket = 3}) + kOtherDevices);
  }

  void has_devices(const std::string& devices) {
    machine_ = dir_.write("machine.txt", kUsbController + devices);
  }

  [[nodiscard]] std::string suggested(Words arguments) const {
    arguments.insert(arguments.begin(), "suggest");
    arguments.insert(arguments.end(), {"--machine", machine_});
    return output_of(arguments);
  }

  std::string machine_;
};

/// The two adapters have the same serial, so the rule uses their sockets.
TEST_F(SuggestTest, UsesSocketsForEqualSerials) {
  EXPECT_EQ(suggested({"/dev/ttyUSB0"}), R"(exit 0
--- out
apiVersion: patchbay/v1
kind: Config
resources:
  # a port of a USB serial adapter: Future Technology FT6001
  - name: example.com/serial
    match:
      subsystem: tty
      # for only this device, add socket: 0000:00:14.0-usbv2-2 to usb
      usb: {vendor: "0403", product: "6001"}        # all of this model
    # several devices here have the serial number A1
    # the USB socket and the interface: it changes if the device is moved to another one
    id: $(usb.socket):$(usb.interface)
    devices:
      # the link of this socket or slot
      - {hostPath: $(link.by-path), containerPath: /dev/serial$(slot)}
    envs:
      SERIAL_PORTS: {value: /dev/serial$(slot), join: " "}
#
# Tried on the recorded machine:
#   example.com/serial  0000:00:14.0-usbv2-2:00  /dev/ttyUSB0  offered
#   example.com/serial  0000:00:14.0-usbv2-3:00  /dev/ttyUSB1  offered, also matches
# A container with example.com/serial needs the group dialout, unless it runs as root.
# In the Pod:
#   resources:
#     limits:
#       example.com/serial: 1
--- err
)");
}

TEST_F(SuggestTest, ProposesARuleForOneDevice) {
  EXPECT_EQ(suggested({"/dev/ttyUSB0", "--this-one", "--as", "resource", "--domain",
                       "lab.example.com", "--name", "console"}),
            R"(exit 0
--- out
# a port of a USB serial adapter: Future Technology FT6001
- name: lab.example.com/console
  match:
    subsystem: tty
    # for all of this model, remove socket: 0000:00:14.0-usbv2-2 from usb
    usb: {vendor: "0403", product: "6001", socket: 0000:00:14.0-usbv2-2}  # only this device
  # several devices here have the serial number A1
  # the USB socket and the interface: it changes if the device is moved to another one
  id: $(usb.socket):$(usb.interface)
  devices:
    # the link of this socket or slot
    - {hostPath: $(link.by-path), containerPath: /dev/serial$(slot)}
  envs:
    SERIAL_PORTS: {value: /dev/serial$(slot), join: " "}
#
# Tried on the recorded machine:
#   lab.example.com/console  0000:00:14.0-usbv2-2:00  /dev/ttyUSB0  offered
# A container with lab.example.com/console needs the group dialout, unless it runs as root.
# In the Pod:
#   resources:
#     limits:
#       lab.example.com/console: 1
--- err
)");
}

/// The paths differ, because a Pod can have devices of both resources.
TEST_F(SuggestTest, GivesTwoModelsDifferentPaths) {
  has_devices(described({.socket = 2, .serial = "A1"}) +
              described({.socket = 3, .product = "6015", .serial = "B1"}));
  EXPECT_THAT(suggested({"/dev/ttyUSB0", "/dev/ttyUSB1"}), HasSubstr(R"(
  # a port of a USB serial adapter: Future Technology FT6015
  - name: example.com/serial-2
    match:
      subsystem: tty
      # for only this device, add serial: B1 to usb
      usb: {vendor: "0403", product: "6015"}        # all of this model
    # id B1:00: the serial number and the interface: a replug and a reboot do not change it
    devices:
      # a replug changes the node, not the link
      - {hostPath: $(link.by-id), containerPath: /dev/serial-2-$(slot)}
    envs:
      SERIAL_PORTS_2: {value: /dev/serial-2-$(slot), join: " "}
#
)"));
}

TEST_F(SuggestTest, ListsDevicesWithModelAndSerialAtATerminal) {
  PseudoTerminal terminal;
  fake::Process process(patchbay({"suggest", "--machine", machine_},
                                 redirected("<" + terminal.path() + " 2>" + terminal.path())));
  ASSERT_TRUE(terminal.wait_for("Number of the device: "));
  EXPECT_THAT(terminal.shown(),
              HasSubstr("   1  /dev/ttyUSB0: a port of a USB serial adapter, Future Technology "
                        "FT6001, serial A1\n"
                        "   2  /dev/ttyUSB1: a port of a USB serial adapter, Future Technology "
                        "FT6001, serial A1\n"));
  terminal.type("2\n");
  const auto end = process.wait();
  EXPECT_EQ(end.exit_code, 0) << terminal.shown();
  EXPECT_THAT(end.out, HasSubstr("-3:00  /dev/ttyUSB1  offered\n"));
}

TEST_F(SuggestTest, FindsADeviceByEachOfItsNames) {
  const std::string expected = suggested({"/dev/ttyUSB1"});
  for (const char* name : {"/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0-port0", "ttyUSB1",
                           "1-3:1.0", "/sys/class/tty/ttyUSB1"}) {
    EXPECT_EQ(suggested({name}), expected) << name;
  }
  const std::string by_device = suggested({"1-3"});
  std::string with_node = expected;
  with_node.insert(with_node.find("# A container"),
                   "# For libusb: patchbay suggest /dev/bus/usb/001/003\n");
  EXPECT_EQ(by_device, with_node);
  for (const char* name : {"/sys/bus/usb/devices/1-3/serial", "usb 1-3"}) {
    EXPECT_EQ(suggested({name}), by_device) << name;
  }
  EXPECT_EQ(suggested({"usb", "1-3"}), by_device);
  EXPECT_EQ(suggested({"usb", "0403:6001"}), suggested({"1-2", "1-3"}));
  EXPECT_THAT(suggested({"/dev/ttyUSB0", "/dev/ttyUSB1"}), Not(HasSubstr("also matches")));
  EXPECT_EQ(suggested({"00:1d.0", "--force"}), suggested({"eno1", "--force"}));
}

TEST_F(SuggestTest, RejectsUnknownDeviceNamesWithReason) {
  EXPECT_EQ(suggested({"/dev/ttyUSB7"}),
            "exit 2\n--- out\n--- err\npatchbay: /dev/ttyUSB7: No such file or directory (did you "
            "mean '/dev/ttyUSB0'?)\n");
  EXPECT_THAT(suggested({"TTYusb0"}), HasSubstr("(did you mean 'ttyUSB0'?)"));
  EXPECT_EQ(suggested({"eno2"}),
            "exit 2\n--- out\n--- err\npatchbay: 'eno2' is no device of this machine (did you mean "
            "'eno1'?); name a device node, a path below /sys, usb VENDOR:PRODUCT, usb 1-2, a PCI "
            "address, a network interface or another name of the kernel\n");
  EXPECT_EQ(suggested({"usb", "dead:beef"}),
            "exit 2\n--- out\n--- err\npatchbay: no USB device has the ids dead:beef\n");
  EXPECT_EQ(suggested({"/etc/motd"}),
            "exit 2\n--- out\n--- err\npatchbay: /etc/motd is a file, not a device; to offer it, "
            "write a rule with match: {glob: PATH, type: file} and mounts: [{hostPath: "
            "$(path)}]\n");
  EXPECT_EQ(suggested({"/etc"}),
            "exit 2\n--- out\n--- err\npatchbay: /etc is a directory, and no disk is mounted "
            "there\n");
}

TEST_F(SuggestTest, RefusesDevicesThatNodeUses) {
  const auto refusal = [&](const char* device) {
    const std::string text = suggested({device});
    EXPECT_THAT(text, HasSubstr("exit 1\n--- out\n--- err\n"));
    const std::string before = "nothing is suggested: ";
    const size_t at = text.find(before);
    return at == std::string::npos ? text : text.substr(at + before.size());
  };
  EXPECT_EQ(refusal("/"), "sda1 is mounted; --force proposes a rule\n");
  EXPECT_EQ(refusal("/dev/sda"), "sda1 is mounted; --force proposes a rule\n");
  EXPECT_EQ(refusal("eno1"), "the node has a route through eno1; --force proposes a rule\n");
  EXPECT_EQ(refusal("ttyS0"), "ttyS0 is a console of the node; --force proposes a rule\n");
  EXPECT_EQ(refusal("event0"), "event0 is a keyboard of the node; --force proposes a rule\n");
  EXPECT_THAT(suggested({"/dev/sda1", "--force"}),
              HasSubstr("# Caution with example.com/partition: sda1 is mounted.\n"));
}

/// A rule for all serial ports of the board would match the console, too.
TEST_F(SuggestTest, RuleMatchesOnlyNamedDeviceIfNodeUsesSimilarOne) {
  has_devices(std::string(kOtherDevices) + R"(
P: /devices/pnp0/tty/ttyS1
U: tty
V: serial8250
N: ttyS1
D: c 4:65
A: type=4
)");
  const std::string text = suggested({"ttyS1", "--force"});
  EXPECT_THAT(text, HasSubstr("#   example.com/uart  ttyS1  /dev/ttyS1  offered\n# example"));
  EXPECT_THAT(text, HasSubstr("# example.com/uart matches only this device: ttyS0 is a console of "
                              "the node.\n"));
  EXPECT_THAT(suggested({"ttyS1", "ttyS0", "--force"}),
              HasSubstr("#   example.com/uart  ttyS0  /dev/ttyS0  offered\n"
                        "#   example.com/uart  ttyS1  /dev/ttyS1  offered\n"
                        "# Caution with example.com/uart: ttyS0 is a console of the node.\n"));
}

TEST_F(SuggestTest, RefusesOtherNodesOfADiskInUse) {
  has_devices(R"(
P: /devices/pci0000:00/0000:00:1f.2/ata1/1:0:0:0
U: scsi

P: /devices/pci0000:00/0000:00:1f.2/ata1/1:0:0:0/block/sda
U: block
T: disk
N: sda
D: b 8:0
E: USEC_INITIALIZED=1
E: ID_FS_USAGE=filesystem
E: ID_FS_TYPE=ext4

P: /devices/pci0000:00/0000:00:1f.2/ata1/1:0:0:0/scsi_generic/sg0
U: scsi_generic
N: sg0
D: c 21:0

P: /devices/pci0000:00/0000:00:1e.0/nvme/nvme0
U: nvme
N: nvme0
D: c 240:0
)");
  EXPECT_THAT(suggested({"/dev/sg0"}), HasSubstr(": sda contains a file system (ext4);"));
  EXPECT_THAT(suggested({"/dev/nvme0"}),
              HasSubstr(": it gives access to NVMe disks, whose content is not checked;"));
}

TEST_F(SuggestTest, FindsMountsByDeviceNumberAndIpv6Routes) {
  std::string devices = kOtherDevices;
  devices.replace(devices.find("F: /proc/1/mounts="),
                  devices.find("F: /etc/motd") - devices.find("F: /proc/1/mounts="),
                  "F: /proc/1/mountinfo=29 1 8:1 / / rw - ext4 /dev/root rw\\n"
                  "30 29 0:9 / /data rw - tmpfs tmpfs rw\\n\n"
                  "F: /proc/1/net/ipv6_route=20010db8000000000000000000000000 40 "
                  "00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 "
                  "00000001 00000000 00000001 eno1\\n\n");
  has_devices(devices);
  EXPECT_THAT(suggested({"/"}), HasSubstr("sda1 is mounted"));
  EXPECT_THAT(suggested({"eno1"}), HasSubstr("the node has a route through eno1"));
}

TEST_F(SuggestTest, NamesResourceThatAlreadyOffersDevice) {
  const std::string config =
      dir_.write("lab.yaml",
                 "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                 "  - name: lab.example.com/uart\n"
                 "    match: {subsystem: tty, usb: {vendor: \"0403\"}}\n    id: $(name)\n");
  EXPECT_THAT(suggested({"--config", config, "/dev/ttyUSB0"}),
              HasSubstr("# DIR/lab.yaml:4: lab.example.com/uart offers it already, as ttyUSB0.\n"));
  EXPECT_THAT(suggested({"--all", "--config", config}),
              HasSubstr("/dev/ttyUSB0: a port of a USB serial adapter: nothing is suggested: "
                        "DIR/lab.yaml:4: lab.example.com/uart offers it already, as ttyUSB0\n"));
  EXPECT_THAT(suggested({"ttyS0", "--force", "--domain", "lab.example.com", "--config", config}),
              HasSubstr("- name: lab.example.com/uart-2\n"));
}

TEST_F(SuggestTest, WritesJson) {
  const std::string text = suggested({"eno1", "-o", "json"});
  EXPECT_EQ(text, R"(exit 1
--- out
{
  "suggestions": [],
  "others": [
    {
      "device": "0000:00:1d.0: a port of a network adapter",
      "reason": "the node has a route through eno1; --force proposes a rule"
    }
  ]
}
--- err
)");
  EXPECT_THAT(suggested({"/dev/ttyUSB0", "-o", "json"}), HasSubstr(R"("units": [
        {
          "id": "0000:00:14.0-usbv2-2:00",
          "devices": [
            "/dev/ttyUSB0"
          ],
          "asked": true,
          "healthy": true
        },)"));
}

TEST_F(SuggestTest, NameOptionRejectsDomain) {
  EXPECT_EQ(suggested({"ttyUSB0", "--name", "lab.example.com/console"}),
            "exit 2\n--- out\n--- err\npatchbay: --name is without the domain; --domain sets "
            "it\n");
}

TEST_F(SuggestTest, RequiresOneOfDeviceAllAndWatch) {
  EXPECT_THAT(output_of({"suggest", "--all", "--watch"}),
              HasSubstr("patchbay: give one of DEVICE, --all and --watch\n"));
  EXPECT_THAT(suggested({"--watch"}), HasSubstr("a recorded machine does not change"));
  EXPECT_THAT(text_of(fake::run_process(patchbay({"suggest"}, redirected("</dev/null")), {})),
              HasSubstr("patchbay: give a DEVICE, --all or --watch\n"));
}

}  // namespace
}  // namespace patchbay::cli
