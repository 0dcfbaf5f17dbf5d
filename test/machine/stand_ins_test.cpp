#include "machine/stand_ins.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/golden.h"
#include "machine/identifier_text.h"
#include "machine/machine_text.h"

namespace patchbay::machine {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string replaced(const std::string& text, const std::string& host_name = "",
                     std::vector<std::string> notes = {}) {
  auto machine = read_machine("m.txt", text);
  EXPECT_TRUE(machine) << machine.error().message;
  replace_identifiers(*machine, notes, {host_name});
  return write_machine(*machine, notes);
}

constexpr const char* kWithSerial =
    "P: /devices/usb1/1-4\n"
    "U: usb\n"
    "A: idVendor=0403\n"
    "A: serial=A10KZP01\n"
    "P: /devices/usb1/1-4/tty/ttyUSB0\n"
    "U: tty\n"
    "S: serial/by-id/usb-FTDI_A10KZP01-if00\n"
    "E: ID_SERIAL=FTDI_A10KZP01\n"
    "E: ID_SERIAL_SHORT=A10KZP01\n";

TEST(StandIns, AreRecognizedInText) {
  EXPECT_TRUE(is_stand_in("standin0123456789"));
  EXPECT_TRUE(is_stand_in("FTDI_FT232R_standin01234abcde-if00"));
  EXPECT_FALSE(is_stand_in("standin012345678"));
  EXPECT_FALSE(is_stand_in("standinABCDEF0123"));
  EXPECT_FALSE(is_stand_in("A10KZP01"));
  EXPECT_FALSE(is_stand_in(""));
}

TEST(StandIns, ReplaceASerialEverywhere) {
  const std::string text = replaced(kWithSerial);
  EXPECT_THAT(text, Not(HasSubstr("A10KZP01")));
  const auto begin = text.find("A: serial=") + 10;
  const std::string stand_in = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_TRUE(is_stand_in(stand_in)) << stand_in;
  EXPECT_EQ(stand_in.size(), std::string("standin0123456789").size());
  EXPECT_THAT(text, HasSubstr("S: serial/by-id/usb-FTDI_" + stand_in + "-if00\n"));
  EXPECT_THAT(text, HasSubstr("E: ID_SERIAL=FTDI_" + stand_in + "\n"));
  EXPECT_THAT(text, HasSubstr("A: idVendor=0403\n")) << "the kind of the device stays";
}

TEST(StandIns, ReplaceASerialWithoutADigitEverywhere) {
  std::string machine = kWithSerial;
  for (size_t at = 0; (at = machine.find("A10KZP01")) != std::string::npos;) {
    machine.replace(at, 8, "ABCDEFGH");
  }
  const std::string text = replaced(machine + "E: ID_MODEL=FT232R\n");
  EXPECT_THAT(text, Not(HasSubstr("ABCDEFGH")));
  EXPECT_THAT(text, ContainsRegex("S: serial/by-id/usb-FTDI_standin[0-9a-f]{10}-if00\n"));
  EXPECT_THAT(text, ContainsRegex("E: ID_SERIAL=FTDI_standin[0-9a-f]{10}\n"));
  EXPECT_THAT(text, HasSubstr("E: ID_MODEL=FT232R\n"));
}

TEST(StandIns, ReplaceASerialThatIsTheWholeIdSerial) {
  const std::string text = replaced(
      "P: /devices/a\nU: block\nS: disk/by-id/ata-ABCDEFGH\nE: ID_SERIAL=ABCDEFGH\n"
      "E: ID_SERIAL_SHORT=ABCDEFGH\nE: LAB_LABEL=at ABCDEFGH\n");
  EXPECT_THAT(text, Not(HasSubstr("ABCDEFGH")));
}

TEST(StandIns, ReplaceAllIdentitiesOfADescribedMachine) {
  const std::filesystem::path golden = PATCHBAY_SOURCE_DIR "/test/machine/golden";
  const std::string text = fake::read_text(golden / "identities.txt");
  fake::expect_golden(golden / "identities.expected", replaced(text, "bench-1"));
}

TEST(StandIns, AreKeptByTheNextSnapshot) {
  const std::string once = replaced(kWithSerial);
  EXPECT_EQ(replaced(once),
            once.substr(0, once.find("# stand-ins")) + once.substr(once.find("\nP: ")));
}

TEST(StandIns, ReplaceAndListUnknownValues) {
  EXPECT_EQ(replaced("P: /devices/a\nU: usb\nA: bcdDevice=0600\nA: tag_of_owner=Jane's\n"
                     "A: new_level=high7\nA: new_count=4711\n"
                     "E: ID_MODEL=FT232R\nE: LAB_ROLE=rig-1\n"),
            "# patchbay snapshot, format 1\n"
            "# stand-ins: attribute new_level\n# stand-ins: attribute tag_of_owner\n"
            "# stand-ins: property LAB_ROLE\n\n"
            "P: /devices/a\nU: usb\nA: bcdDevice=0600\nA: new_count=4711\n"
            "A: new_level=standin45e9cfabc0\n"
            "A: tag_of_owner=standin78cdcad3a6\n"
            "E: ID_MODEL=FT232R\nE: LAB_ROLE=standinb244961ff8\n\n# end\n");
}

TEST(StandIns, AreTheSameEachTime) { EXPECT_EQ(replaced(kWithSerial), replaced(kWithSerial)); }

TEST(StandIns, ReplaceMacAddressesInNames) {
  const std::string text = replaced(
      "P: /devices/pci0/net/enx525400123456\nU: net\nI: 2\nA: address=52:54:00:12:34:56\n"
      "E: ID_NET_NAME_MAC=enx525400123456\n");
  EXPECT_THAT(text, Not(HasSubstr("525400123456")));
  EXPECT_THAT(text, ContainsRegex("A: address=standin[0-9a-f]{10}\n"));
  EXPECT_THAT(text, ContainsRegex("P: /devices/pci0/net/enxstandin[0-9a-f]{10}\n"));
}

TEST(StandIns, AreEqualExactlyForEqualValues) {
  const std::string text = replaced(
      "P: /devices/a\nU: usb\nA: serial=AAAA1\nP: /devices/b\nU: usb\nA: serial=AAAA1\n"
      "P: /devices/c\nU: usb\nA: serial=AAAA2\n");
  const auto serial_of = [&](const std::string& device) {
    const auto begin = text.find("A: serial=", text.find("P: /devices/" + device));
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(serial_of("a"), serial_of("b"));
  EXPECT_NE(serial_of("a"), serial_of("c"));
}

TEST(StandIns, KeepBusPositionsAndPlaceholders) {
  const std::string text =
      "P: /devices/pci0/0000:00:14.0\nU: pci\nA: address=3\nA: modalias=pci:v0001d0001\n"
      "P: /devices/pci0/0000:00:14.0/usb1\nU: usb\nA: serial=0000:00:14.0\n"
      "P: /devices/platform/vhci_hcd.0\nU: platform\n"
      "P: /devices/platform/vhci_hcd.0/usb2\nU: usb\nA: serial=vhci_hcd.0\n"
      "P: /devices/b\nU: net\nI: 1\nA: address=00:00:00:00:00:00\n"
      "A: broadcast=ff:ff:ff:ff:ff:ff\nA: serial=0000\n";
  EXPECT_EQ(replaced(text), write_machine(*read_machine("m.txt", text), {}));
}

TEST(StandIns, ReplaceWholeWordsOnly) {
  const std::string text = replaced(
      "P: /devices/mmc0/mmcblk0boot0\nU: block\nE: ID_FS_LABEL=boot\nA: serial=0x1234abcd\n"
      "S: disk/by-label/boot\nS: disk/by-id/mmc-x1234abcdx_0x1234abcd\n");
  EXPECT_THAT(text, HasSubstr("P: /devices/mmc0/mmcblk0boot0\n"));
  EXPECT_THAT(text, Not(HasSubstr("=boot\n")));
  EXPECT_THAT(text, Not(HasSubstr("by-label/boot")));
  EXPECT_THAT(text, ContainsRegex("S: disk/by-id/mmc-x1234abcdx_0xstandin[0-9a-f]{10}\n"));
  EXPECT_THAT(text, Not(HasSubstr("_0x1234abcd")));
}

TEST(StandIns, AreEqualForAllSpellingsOfValue) {
  const std::string text = replaced(
      "P: /devices/block/sda\nU: block\nA: device/wwid=naa.5000c500a1b2c3d4\n"
      "S: disk/by-id/wwn-0x5000c500a1b2c3d4\nS: disk/by-id/scsi-35000c500a1b2c3d4\n"
      "P: /devices/block/sdb\nU: block\nE: ID_FS_UUID=8A5AE1AB-60a9-4d3c-9f0c-0f4a1b2c3d03\n"
      "P: /devices/block/sdc\nU: block\nE: ID_FS_UUID=8a5ae1ab60a94d3c9f0c0f4a1b2c3d03\n"
      "P: /devices/block/sdd\nU: block\nA: serial=   T S1\nE: ID_SERIAL_SHORT=T_S1\n"
      "S: disk/by-id/nvme-T_S1_1\nS: disk/by-label/ab\\x20c\nE: ID_FS_LABEL=ab c\n");
  const auto stand_in = [&](const std::string& before) {
    const size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before << text;
    return text.substr(at + before.size(), std::string("standin0123456789").size());
  };
  EXPECT_EQ(stand_in("wwid="), stand_in("wwn-"));
  EXPECT_EQ(stand_in("wwid="), stand_in("scsi-3"));
  EXPECT_EQ(stand_in("/sdb\nU: block\nE: ID_FS_UUID="), stand_in("/sdc\nU: block\nE: ID_FS_UUID="));
  EXPECT_EQ(stand_in("serial="), stand_in("SERIAL_SHORT="));
  EXPECT_EQ(stand_in("serial="), stand_in("nvme-"));
  EXPECT_EQ(stand_in("LABEL="), stand_in("by-label/"));
}

TEST(StandIns, ReplaceMacAddressesAndUuidsInAnyText) {
  const std::string text = replaced(
      "F: /etc/a=MAC 52:54:00:12:34:56, id 8a5ae1ab-60a9-4d3c-9f0c-0f4a1b2c3d03\n"
      "P: /devices/a\nU: input\nA: uniq=52:54:00:12:34:57\nE: UNIQ=\"AB12CD34\"\n");
  EXPECT_THAT(text, Not(HasSubstr("12:34:5")));
  EXPECT_THAT(text, Not(HasSubstr("8a5ae1ab")));
  EXPECT_THAT(text, ContainsRegex("E: UNIQ=standin[0-9a-f]{10}\n"));
}

TEST(StandIns, ReplaceLabelsOfAnyScript) {
  const std::string text = replaced(
      "P: /devices/a\nU: block\nE: ID_FS_LABEL=Ива7\nS: disk/by-label/Ива7\n"
      "A: model=- - -\nE: ID_PART_ENTRY_NAME=日本\n");
  EXPECT_THAT(text, Not(HasSubstr("Ива")));
  EXPECT_THAT(text, Not(HasSubstr("日本")));
  EXPECT_THAT(text, HasSubstr("A: model=- - -\n"));
}

TEST(StandIns, KeepHarmlessValueThatIsReplacedElsewhere) {
  const std::string text = replaced(
      "P: /devices/a\nU: block\nE: ID_FS_TYPE=ext4\nE: LAB_KIND=ext4\nE: LAB_ID=ext4-17\n"
      "E: ID_MODEL=box_ext4-17_ext4\nE: MODALIAS=acpi:ext4-17:\n");
  EXPECT_THAT(text, HasSubstr("E: MODALIAS=acpi:ext4-17:\n"));
  EXPECT_THAT(text, HasSubstr("E: ID_FS_TYPE=ext4\n"));
  EXPECT_THAT(text, ContainsRegex("E: LAB_KIND=standin[0-9a-f]{10}\n"));
  EXPECT_THAT(text, ContainsRegex("E: ID_MODEL=box_standin[0-9a-f]{10}_ext4\n"));
}

TEST(StandIns, ReplaceNamesOfUsers) {
  const std::string text = replaced("F: /home/jane/a=of /home/paul and /home/mary/x, jane's\n");
  EXPECT_THAT(text, ContainsRegex("F: /home/standin[0-9a-f]{10}/a=of /home/standin[0-9a-f]{10} and "
                                  "/home/standin[0-9a-f]{10}/x, standin[0-9a-f]{10}'s\n"));
}

TEST(StandIns, DoNotDependOnOtherDevices) {
  const auto serial_of = [](const std::string& text) {
    const auto begin = text.find("A: serial=");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(
      serial_of(replaced(std::string(kWithSerial) + "P: /devices/z\nU: usb\nA: uniq=AAAA1\n")),
      serial_of(replaced(kWithSerial)));
}

TEST(StandIns, ReplaceIdentifiersInNotes) {
  const std::string text =
      replaced("P: /devices/pci0/net/enx525400123456\nU: net\nI: 2\nA: address=52:54:00:12:34:56\n",
               "", {"/sys/devices/pci0/net/enx525400123456/speed does not answer"});
  EXPECT_THAT(text, Not(HasSubstr("525400123456")));
}

TEST(StandIns, KeepTheStructureOfAllDescribedMachines) {
  for (const auto& entry :
       std::filesystem::directory_iterator(PATCHBAY_SOURCE_DIR "/test/hardware/machines")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto original = read_machine(entry.path(), text.str());
    auto machine = *original;
    std::vector<std::string> notes;
    replace_identifiers(machine, notes, {"bench-1"});
    ASSERT_EQ(machine.devices.size(), original->devices.size()) << entry.path();
    ASSERT_EQ(machine.files.size(), original->files.size()) << entry.path();
    for (const auto& [path, device] : original->devices) {
      const auto same = machine.devices.find(path);
      ASSERT_NE(same, machine.devices.end()) << entry.path() << ": " << path;
      EXPECT_EQ(same->second.links, device.links) << entry.path() << ": " << path;
      for (const char* name : {"vendor", "device", "idVendor", "idProduct", "class", "devpath"}) {
        const auto value = device.attributes.find(name);
        if (value == device.attributes.end()) continue;
        EXPECT_EQ(same->second.attributes.at(name), value->second) << entry.path() << ": " << path;
      }
    }
  }
}

TEST(StandIns, ReplaceTheNameOfTheHost) {
  const std::string text = replaced("F: /etc/a=on bench-17 since\n", "bench-17");
  EXPECT_THAT(text, Not(HasSubstr("bench-17")));
  EXPECT_THAT(text, ContainsRegex("F: /etc/a=on standin[0-9a-f]{10} since\n"));
}

}  // namespace
}  // namespace patchbay::machine
