#include "rules/matcher.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/compiled.h"

namespace patchbay::rules {
namespace {

/// The matcher of a block, indented by six.
Matcher matcher(const std::string& block) {
  const Compiled compiled = compile_group("    match:\n" + block + "    id: $(name)\n");
  EXPECT_EQ(compiled.printed, "");
  return compiled.plan->resources.at(0).groups.at(0).match;
}

bool matches(const std::string& block, const DeviceFacts& facts) {
  Captures captures;
  return matcher(block).matches(facts, captures);
}

DeviceFacts adapter() {
  DeviceFacts facts;
  facts.key = facts.syspath = "/sys/devices/pci0/usb1/1-1/ttyUSB0";
  facts.name = "ttyUSB0";
  facts.subsystem = "tty";
  facts.devtype = "serial";
  facts.devnode = "/dev/ttyUSB0";
  facts.driver = "ftdi_sio";
  facts.attributes = {{"port_number", {"0"}}, {"device/vendor", {"0x0403"}}, {"empty", {""}}};
  facts.properties = {{"ID_SERIAL_SHORT", "LAB42"}};
  facts.tags = {"seat", "systemd"};
  facts.usb = {{"vendor", "0403"}, {"port", "0000:00:14.0-usbv2-2.4"}, {"interface", "01"}};
  facts.pci = {{"class", "0c0330"}, {"device", "9d2f"}};
  facts.numa_node = "1";
  facts.iommu_group = "14";
  facts.links = {"/dev/serial/by-id/usb-LAB42", "/dev/serial/by-path/x"};
  return facts;
}

DeviceFacts found_path() {
  DeviceFacts facts;
  facts.key = "/etc/gophers/g1";
  facts.kind = DeviceKind::path;
  facts.name = "g1";
  facts.path_type = PathType::file;
  facts.found_by = {{"/etc/*/g1", "/etc/gophers/g1"}, {"/etc/gophers/*", "/etc/gophers/g1"}};
  return facts;
}

struct KeyCase {
  std::string holds;
  std::string fails;
  std::string absent;  ///< Asks for something that the device does not have.
};

TEST(Matcher, ComparesEachKey) {
  const std::vector<KeyCase> cases{
      {"name: ttyUSB*", "name: ttyS*", "name: {exists: false}"},
      {"devtype: serial", "devtype: disk", "devtype: {not: serial}"},
      {"devnode: /dev/tty*", "devnode: /dev/null", "devnode: {exists: false}"},
      {"driver: [x, ftdi_sio]", "driver: ftdi", "driver: {not: ftdi_sio}"},
      {"attribute: {port_number: \"0\"}", "attribute: {port_number: \"1\"}",
       "attribute: {missing: \"*\"}"},
      {"attribute: {device/vendor: \"0x*\"}", "attribute: {device/vendor: \"0403\"}",
       "attribute: {empty: \"*\"}"},
      {"attribute: {missing: {exists: false}}", "attribute: {port_number: {exists: false}}",
       "attribute: {missing: {not: x}}"},
      {"property: {ID_SERIAL_SHORT: LAB42}", "property: {ID_SERIAL_SHORT: LAB4}",
       "property: {ID_SERIAL: \"*\"}"},
      {"usb: {vendor: \"0403\"}", "usb: {vendor: \"0404\"}", "usb: {serial: \"*\"}"},
      {"usb: {port: \"*-usbv2-2.4\"}", "usb: {interface: \"00\"}", "usb: {product: {not: a1b2}}"},
      {"pci: {device: [\"0x9D2F\", \"0000\"]}", "pci: {device: {not: 9D2F}}",
       "pci: {vf: {not: \"0\"}}"},
      {"pci: {class: 0c}", "pci: {class: \"0x03\"}", "pci: {class: {exists: false}}"},
      {"pci: {class: 0C03, device: \"9d*\"}", "pci: {class: {is: \"0c0300\"}}",
       "pci: {physfn: \"*\"}"},
      {"numaNode: \"1\"", "numaNode: {not: \"1\"}", "numaNode: {exists: false}"},
      {"iommuGroup: \"14\"", "iommuGroup: \"1\"", "iommuGroup: {exists: false}"},
      {"tag: systemd", "tag: system", "tag: {not: seat}"},
      {"link: \"*/by-id/*\"", "link: \"*/by-label/*\"", "link: {not: \"*/by-path/*\"}"},
  };
  for (const KeyCase& key : cases) {
    const std::string subsystem = "      subsystem: tty\n      ";
    EXPECT_TRUE(matches(subsystem + key.holds + "\n", adapter())) << key.holds;
    EXPECT_FALSE(matches(subsystem + key.fails + "\n", adapter())) << key.fails;
    EXPECT_FALSE(matches(subsystem + key.absent + "\n", adapter())) << key.absent;
  }
  EXPECT_FALSE(matches("      subsystem: net\n", adapter()));
}

TEST(Matcher, AllKeysMustHold) {
  EXPECT_TRUE(matches("      subsystem: tty\n      name: ttyUSB0\n      tag: seat\n", adapter()));
  EXPECT_FALSE(matches("      subsystem: tty\n      name: ttyUSB0\n      tag: x\n", adapter()));
  EXPECT_FALSE(matches("      subsystem: tty\n      name: ttyUSB1\n      tag: seat\n", adapter()));
}

TEST(Matcher, SubsystemRulesSeeKernelDevicesOnly) {
  DeviceFacts facts = adapter();
  facts.kind = DeviceKind::sysfs_directory;
  EXPECT_FALSE(matches("      subsystem: tty\n", facts));
}

TEST(Matcher, GlobRulesSeeWhatTheirPatternFound) {
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n", found_path()));
  EXPECT_TRUE(matches("      glob: [/x/*, /etc/gophers/*]\n", found_path()));
  EXPECT_FALSE(matches("      glob: /etc/gophers/g?\n", found_path()));  // Another, as written.
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n      type: [dir, file]\n", found_path()));
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      type: socket\n", found_path()));
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n      name: g*\n", found_path()));
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      name: h*\n", found_path()));
  DeviceFacts unknown = found_path();
  unknown.path_type.reset();
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      type: file\n", unknown));
  EXPECT_FALSE(matches("      sysfs: /sys/*\n", found_path()));
}

TEST(Matcher, SysfsRulesSeeDirectoriesAndDevices) {
  DeviceFacts facts = adapter();
  EXPECT_FALSE(matches("      sysfs: /sys/class/tty/*\n", facts));
  facts.found_by = {{"/sys/class/tty/*", "/sys/class/tty/ttyUSB0"}};
  EXPECT_TRUE(matches("      sysfs: /sys/class/tty/*\n      driver: ftdi_sio\n", facts));
  EXPECT_EQ(matcher("      sysfs: /sys/class/tty/*\n").found_path(facts), "/sys/class/tty/ttyUSB0");
  facts.kind = DeviceKind::sysfs_directory;
  EXPECT_TRUE(
      matches("      sysfs: /sys/class/tty/*\n      attribute: {port_number: \"0\"}\n", facts));
}

TEST(Matcher, GivesCapturesOnlyOfAMatch) {
  const Matcher match = matcher(
      "      subsystem: tty\n"
      "      name: {regex: 'ttyUSB(?P<n>\\d+)'}\n"
      "      property: {ID_SERIAL_SHORT: {regex: '(?P<site>[A-Z]+)\\d+'}}\n");
  Captures captures{{"old", "x"}};
  EXPECT_TRUE(match.matches(adapter(), captures));
  EXPECT_EQ(captures, (Captures{{"n", "0"}, {"site", "LAB"}}));
  DeviceFacts other = adapter();
  other.properties.clear();
  EXPECT_FALSE(match.matches(other, captures));
  EXPECT_TRUE(captures.empty());
}

TEST(Matcher, IsDataThatCanBeComparedAndPrinted) {
  const std::string block = "      tag: seat\n      name: tty*\n      subsystem: tty\n";
  EXPECT_EQ(matcher(block), matcher(block));
  EXPECT_FALSE(matcher(block) == matcher("      subsystem: tty\n"));
  EXPECT_EQ(matcher(block).to_text(), R"(subsystem: "tty", name: "tty*", tag: "seat")");
  EXPECT_EQ(matcher("      glob: /x/*\n      type: file\n").to_text(), "glob: /x/*, type: [file]");
  EXPECT_EQ(matcher("      subsystem: net\n      attribute: {carrier: \"1\"}\n").to_text(),
            R"(subsystem: "net", attribute: {carrier: "1"})");
}

TEST(Matcher, SurvivesHostileValues) {
  const std::string block = "      subsystem: tty\n      property: {ID_SERIAL_SHORT: \"LAB*2\"}\n";
  for (const std::string& value : {std::string("../../etc"), std::string("LAB\n42"),
                                   std::string("LAB\0x2", 6), std::string(4096, 'L'),
                                   std::string("LAB\xFF\xFE"
                                               "2"),
                                   std::string("$(node)"), std::string("-rf")}) {
    DeviceFacts facts = adapter();
    facts.properties["ID_SERIAL_SHORT"] = value;
    EXPECT_EQ(matches(block, facts), value.starts_with("LAB"));
  }
}

/// The adapter with the devices above it.
DeviceFacts below_usb() {
  DeviceFacts facts = adapter();
  DeviceFacts interface;
  interface.subsystem = "usb";
  interface.name = "1-1:1.0";
  interface.devtype = "usb_interface";
  DeviceFacts device;
  device.subsystem = "usb";
  device.name = "1-1";
  device.devtype = "usb_device";
  device.attributes = {{"manufacturer", {"Lab"}}};
  facts.ancestors = {interface, device};
  return facts;
}

const std::string kTty = "      subsystem: tty\n";

TEST(MatcherBlocks, OneOfAnyMustHold) {
  EXPECT_TRUE(matches(kTty + "      any: [{name: x}, {tag: seat}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{name: x}, {tag: y}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      name: x\n      any: [{tag: seat}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{tag: seat, name: x}]\n", adapter()));
}

TEST(MatcherBlocks, NoneOfExceptMayHold) {
  EXPECT_FALSE(matches(kTty + "      except: {tag: seat}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      except: [{name: x}, {tag: seat}]\n", adapter()));
  EXPECT_TRUE(matches(kTty + "      except: {tag: seat, name: x}\n", adapter()));
  // What is absent is not excepted.
  EXPECT_TRUE(matches(kTty + "      except: {usb: {serial: \"*\"}}\n", adapter()));
}

TEST(MatcherBlocks, AnAncestorMeetsAllOfABlock) {
  const auto above = [](const std::string& block) {
    return matches(kTty + "      ancestor: " + block + "\n", below_usb());
  };
  EXPECT_TRUE(above("{subsystem: usb, devtype: usb_device, attribute: {manufacturer: Lab}}"));
  EXPECT_FALSE(above("{subsystem: usb, devtype: usb_interface, attribute: {manufacturer: Lab}}"));
  EXPECT_TRUE(above("[{devtype: usb_interface}, {attribute: {manufacturer: Lab}}]"));
  EXPECT_FALSE(above("[{devtype: usb_interface}, {subsystem: pci}]"));
  EXPECT_FALSE(above("{subsystem: tty}"));  // Not the device itself.
  EXPECT_FALSE(matches(kTty + "      ancestor: {subsystem: usb}\n", adapter()));
  EXPECT_TRUE(matches(kTty + "      except: {ancestor: {subsystem: pci}}\n", below_usb()));
}

TEST(MatcherBlocks, TheFirstThatHoldsCaptures) {
  const Matcher match = matcher(kTty +
                                "      any:\n"
                                "        - {name: {regex: 'tty(?P<n>.*)'}, tag: x}\n"
                                "        - {devnode: {regex: '/dev/(?P<n>.*)'}}\n"
                                "        - {devtype: {regex: '(?P<other>.*)'}}\n"
                                "      ancestor: {name: {regex: '(?P<port>[0-9-]+)'}}\n");
  Captures captures;
  EXPECT_TRUE(match.matches(below_usb(), captures));
  EXPECT_EQ(captures, (Captures{{"n", "ttyUSB0"}, {"port", "1-1"}}));
  EXPECT_EQ(match.capture_names(), (std::vector<std::string>{"n", "other", "port"}));
}

TEST(MatcherBlocks, OfPathsMayAskTheirType) {
  const std::string glob = "      glob: /etc/gophers/*\n";
  EXPECT_TRUE(matches(glob + "      any: [{type: socket}, {type: file}]\n", found_path()));
  EXPECT_FALSE(matches(glob + "      except: {type: file}\n", found_path()));
}

TEST(MatcherPaths, AreComparedAsTheGlobFoundThem) {
  const std::string glob = "      glob: /etc/gophers/*\n";
  EXPECT_TRUE(matches(glob + "      path: /etc/*/g1\n", found_path()));
  EXPECT_FALSE(matches(glob + "      path: /etc/*/g2\n", found_path()));
  EXPECT_FALSE(matches(glob + "      path: {not: \"*/g1\"}\n", found_path()));
  EXPECT_TRUE(matches(glob + "      any: [{path: /x}, {path: /etc/gophers/g1}]\n", found_path()));
  EXPECT_FALSE(matches(glob + "      except: {path: /etc/gophers/g1}\n", found_path()));
  EXPECT_FALSE(matcher(glob + "      path: /etc/*/g2\n").could_match(found_path()));
}

TEST(MatcherPaths, AreCaptured) {
  Captures captures;
  const Matcher match = matcher(
      "      glob: /etc/gophers/*\n"
      "      path: {regex: '/etc/(?P<kind>[^/]+)/g(?P<n>\\d)'}\n");
  EXPECT_EQ(match.capture_names(), (std::vector<std::string>{"kind", "n"}));
  ASSERT_TRUE(match.matches(found_path(), captures));
  EXPECT_EQ(captures, (Captures{{"kind", "gophers"}, {"n", "1"}}));
}

DeviceFacts with_file(const std::string& path, const std::string& content) {
  DeviceFacts facts = adapter();
  facts.files[path] = content;
  return facts;
}

std::vector<std::string> files_of(const std::string& block, const DeviceFacts& facts) {
  std::vector<std::string> files;
  matcher(block).want_files(facts, files);
  return files;
}

TEST(MatcherFiles, AreComparedAtTheirRenderedPaths) {
  const std::string block = kTty + "      file: {/etc/on/$(name): \"y*\"}\n";
  EXPECT_EQ(files_of(block, adapter()), std::vector<std::string>{"/etc/on/ttyUSB0"});
  EXPECT_TRUE(matches(block, with_file("/etc/on/ttyUSB0", "yes")));
  EXPECT_FALSE(matches(block, with_file("/etc/on/ttyUSB0", "no")));
  EXPECT_FALSE(matches(block, with_file("/etc/on/ttyUSB1", "yes")));
  EXPECT_FALSE(matches(block, adapter()));
  EXPECT_TRUE(matches(kTty + "      file: {/etc/off/$(name): {exists: false}}\n", adapter()));
}

TEST(MatcherFiles, AreAskedForOnlyWhereTheRestHolds) {
  const std::string file = "      file: {/etc/on/$(name): y}\n";
  EXPECT_TRUE(files_of(kTty + "      devtype: disk\n" + file, adapter()).empty());
  EXPECT_EQ(
      files_of(kTty + "      any: [{file: {/a: y}}]\n      except: {file: {/b: y}}\n", adapter()),
      (std::vector<std::string>{"/a", "/b"}));
}

TEST(MatcherFiles, WhosePathCannotBeMadeLetNothingThrough) {
  const std::string file = "file: {/etc/off/$(usb.serial): ";
  const std::string except = "      except: {devtype: serial, " + file;
  EXPECT_FALSE(matches(kTty + "      " + file + "{exists: false}}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      " + file + "\"*\"}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{" + file + "{exists: false}}}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + except + "\"*\"}}\n", adapter()));
  // What else it is about comes first: an exception that cannot be meant is none.
  EXPECT_TRUE(matches(kTty + "      except: {devtype: disk, " + file + "\"*\"}}\n", adapter()));
  DeviceFacts facts = adapter();
  facts.usb["serial"] = "LAB";
  EXPECT_TRUE(matches(kTty + except + "\"*\"}}\n", facts));
  facts.files["/etc/off/LAB"] = "off";
  EXPECT_FALSE(matches(kTty + except + "\"*\"}}\n", facts));
}

TEST(MatcherBlocks, SayWhatTheyWant) {
  const Matcher match = matcher(kTty +
                                "      any: [{name: x}, {attribute: {a: x}}]\n"
                                "      except: {usb: {serial: x}}\n"
                                "      ancestor: {subsystem: usb, property: {P: x}}\n");
  WantedFacts wanted;
  match.want(wanted);
  EXPECT_EQ(wanted.attributes, std::vector<std::string>{"a"});
  EXPECT_EQ(wanted.usb, std::vector<std::string>{"serial"});
  ASSERT_EQ(wanted.above.size(), 1U);
  EXPECT_EQ(wanted.above.front().properties, std::vector<std::string>{"P"});
  EXPECT_TRUE(match.could_match(adapter()));
  EXPECT_FALSE(matcher(kTty + "      any: [{name: x}, {name: y}]\n").could_match(adapter()));
}

TEST(MatcherBlocks, CanBePrintedAndCompared) {
  const std::string block = kTty + "      except: {name: x}\n      ancestor: {subsystem: usb}\n";
  EXPECT_EQ(matcher(block).to_text(),
            "subsystem: \"tty\", except: [{name: \"x\"}], ancestor: [{subsystem: \"usb\"}]");
  EXPECT_EQ(matcher(block), matcher(block));
  EXPECT_FALSE(matcher(block) == matcher(kTty + "      except: {name: x}\n"));
}

}  // namespace
}  // namespace patchbay::rules
