#include "machine/stand_ins.h"

#include <gmock/gmock.h>

#include "machine/machine_reader.h"
#include "machine/machine_writer.h"

namespace patchbay::machine {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string replaced(const std::string& text, const std::string& host_name = "") {
  auto machine = read_machine("m.txt", text);
  EXPECT_TRUE(machine) << machine.error().message;
  replace_identifiers(*machine, host_name);
  return write_machine(*machine, {});
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

TEST(StandIns, ReplaceASerialEverywhere) {
  const std::string text = replaced(kWithSerial);
  EXPECT_THAT(text, Not(HasSubstr("A10KZP01")));
  const auto begin = text.find("A: serial=") + 10;
  const std::string stand_in = text.substr(begin, 8);
  EXPECT_THAT(stand_in, testing::MatchesRegex("[A-Z][0-9][0-9][A-Z][A-Z][A-Z][0-9][0-9]"));
  EXPECT_THAT(text, HasSubstr("S: serial/by-id/usb-FTDI_" + stand_in + "-if00\n"));
  EXPECT_THAT(text, HasSubstr("E: ID_SERIAL=FTDI_" + stand_in + "\n"));
  EXPECT_THAT(text, HasSubstr("A: idVendor=0403\n")) << "the kind of the device stays";
}

TEST(StandIns, AreTheSameEachTime) { EXPECT_EQ(replaced(kWithSerial), replaced(kWithSerial)); }

TEST(StandIns, ReplaceMacAddressesInNames) {
  const std::string text = replaced(
      "P: /devices/pci0/net/enx525400123456\nU: net\nI: 2\nA: address=52:54:00:12:34:56\n"
      "E: ID_NET_NAME_MAC=enx525400123456\n");
  EXPECT_THAT(text, Not(HasSubstr("525400123456")));
  EXPECT_THAT(text, ContainsRegex("A: address=02(:[0-9a-f][0-9a-f]){5}\n"));
  EXPECT_THAT(text, ContainsRegex("P: /devices/pci0/net/enx02[0-9a-f]{10}\n"));
}

TEST(StandIns, KeepEqualValuesEqualAndOthersApart) {
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

TEST(StandIns, KeepPositionsAndFillers) {
  const std::string text =
      "P: /devices/a\nU: pci\nA: address=3\nA: serial=0000\nP: /devices/b\nU: net\nI: 1\n"
      "A: address=00:00:00:00:00:00\n";
  EXPECT_EQ(replaced(text), write_machine(*read_machine("m.txt", text), {}));
}

TEST(StandIns, ReplaceTheNameOfTheHost) {
  const std::string text = replaced("F: /etc/a=on bench-17 since\n", "bench-17");
  EXPECT_THAT(text, Not(HasSubstr("bench-17")));
  EXPECT_THAT(text, ContainsRegex("F: /etc/a=on [a-z]{5}-[0-9]{2} since\n"));
}

}  // namespace
}  // namespace patchbay::machine
