#include "rules/match/matcher.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

/// The matcher of a match whose keys are indented by six.
Matcher matcher(const std::string& block) {
  const Compiled compiled = compile_group("    match:\n" + block + "    id: $(name)\n");
  // Ignores warnings, because these tests compare values that no device has.
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan->resources.at(0)->groups.at(0).match;
}

bool matches(const std::string& block, const DeviceFacts& facts) {
  Captures captures;
  return matcher(block).matches(facts, captures);
}

DeviceFacts adapter() {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0/usb1/1-1/ttyUSB0";
  facts.name = "ttyUSB0";
  facts.subsystem = "tty";
  facts.devtype = "serial";
  facts.devnode = "/dev/ttyUSB0";
  facts.known = {{Fact::driver, "", "ftdi_sio"},
                 {Fact::attribute, "port_number", "0"},
                 {Fact::attribute, "device/vendor", "0x0403"},
                 {Fact::attribute, "empty", ""},
                 {Fact::property, "ID_SERIAL_SHORT", "LAB42"},
                 {Fact::tag, "", "seat"},
                 {Fact::tag, "", "systemd"},
                 {Fact::usb, "vendor", "0403"},
                 {Fact::usb, "socket", "0000:00:14.0-usbv2-4"},
                 {Fact::usb, "interface", "01"},
                 {Fact::pci, "class", "0c0330"},
                 {Fact::pci, "device", "9d2f"},
                 {Fact::numa_node, "", "1"},
                 {Fact::iommu_group, "", "14"},
                 {Fact::link, "", "/dev/serial/by-id/usb-LAB42"},
                 {Fact::link, "", "/dev/serial/by-path/x"}};
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
  std::string matching;
  std::string fails;
  std::string also_fails;  ///< Requires an absent value, or excludes the value of the device.
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
      {"usb: {interface: \"01\"}", "usb: {interface: \"00\"}", "usb: {product: {not: a1b2}}"},
      {"usb: {socket: \"*-usbv2-4\"}", "usb: {socket: \"*-usbv2-2.4\"}",
       "usb: {socket: {not: \"0000:00:14.0-usbv2-4\"}}"},
      {R"(pci: {device: ["0x9D2F", "0000"]})", "pci: {device: {not: 9D2F}}",
       "pci: {vf: {not: \"0\"}}"},
      {"pci: {class: 0c}", "pci: {class: \"0x03\"}", "pci: {class: {exists: false}}"},
      {"pci: {class: 0C03, device: \"9d*\"}", "pci: {class: \"0c0300\"}", "pci: {physfn: \"*\"}"},
      {"numaNode: \"1\"", "numaNode: {not: \"1\"}", "numaNode: {exists: false}"},
      {"iommuGroup: \"14\"", "iommuGroup: \"1\"", "iommuGroup: {exists: false}"},
      {"tag: systemd", "tag: system", "tag: {not: seat}"},
      {"link: \"*/by-id/*\"", "link: \"*/by-label/*\"", "link: {not: \"*/by-path/*\"}"},
  };
  for (const KeyCase& key : cases) {
    const std::string subsystem = "      subsystem: tty\n      ";
    EXPECT_TRUE(matches(subsystem + key.matching + "\n", adapter())) << key.matching;
    EXPECT_FALSE(matches(subsystem + key.fails + "\n", adapter())) << key.fails;
    EXPECT_FALSE(matches(subsystem + key.also_fails + "\n", adapter())) << key.also_fails;
  }
  EXPECT_FALSE(matches("      subsystem: net\n", adapter()));
}

TEST(Matcher, EscapedStarIsLiteral) {
  const auto device = [](const std::string& value) {
    DeviceFacts facts;
    facts.key = "/sys/devices/x";
    facts.subsystem = "tty";
    facts.name = facts.devtype = facts.devnode = value;
    facts.known = {
        {Fact::driver, "", value},     {Fact::numa_node, "", value}, {Fact::iommu_group, "", value},
        {Fact::attribute, "a", value}, {Fact::property, "P", value}, {Fact::tag, "", value},
        {Fact::link, "", value},       {Fact::usb, "serial", value}, {Fact::usb, "socket", value},
        {Fact::pci, "address", value}, {Fact::pci, "pfName", value}};
    return facts;
  };
  for (const std::string key :
       {"name: ", "devtype: ", "devnode: ", "driver: ", "numaNode: ", "iommuGroup: ", "tag: ",
        "link: ", "attribute: {a: ", "property: {P: ", "usb: {serial: ", "usb: {socket: ",
        "pci: {address: ", "pci: {pfName: "}) {
    const std::string block =
        "      subsystem: tty\n      " + key + R"('a\*b')" + (key.contains('{') ? "}\n" : "\n");
    EXPECT_TRUE(matches(block, device("a*b"))) << key;
    EXPECT_FALSE(matches(block, device("axb"))) << key;
  }
  DeviceFacts odd = device("");
  odd.subsystem = "t*y";
  EXPECT_TRUE(matches("      subsystem: 't\\*y'\n", odd));
  EXPECT_FALSE(matches("      subsystem: 't\\*y'\n", device("")));
}

TEST(Matcher, AllKeysMustMatch) {
  EXPECT_TRUE(matches("      subsystem: tty\n      name: ttyUSB0\n      tag: seat\n", adapter()));
  EXPECT_FALSE(matches("      subsystem: tty\n      name: ttyUSB0\n      tag: x\n", adapter()));
  EXPECT_FALSE(matches("      subsystem: tty\n      name: ttyUSB1\n      tag: seat\n", adapter()));
}

TEST(Matcher, SubsystemRulesMatchOnlyKernelDevices) {
  DeviceFacts facts = adapter();
  facts.kind = DeviceKind::sysfs_directory;
  EXPECT_FALSE(matches("      subsystem: tty\n", facts));
}

TEST(Matcher, GlobRulesMatchPathsFoundByTheirPattern) {
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n", found_path()));
  EXPECT_TRUE(matches("      glob: [/x/*, /etc/gophers/*]\n", found_path()));
  // It fits the path, but is not one of the patterns that found it.
  EXPECT_FALSE(matches("      glob: /etc/gophers/g?\n", found_path()));
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n      type: [dir, file]\n", found_path()));
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      type: socket\n", found_path()));
  EXPECT_TRUE(matches("      glob: /etc/gophers/*\n      name: g*\n", found_path()));
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      name: h*\n", found_path()));
  DeviceFacts unknown = found_path();
  unknown.path_type.reset();
  EXPECT_FALSE(matches("      glob: /etc/gophers/*\n      type: file\n", unknown));
  EXPECT_FALSE(matches("      sysfs: /sys/*\n", found_path()));
}

TEST(Matcher, SysfsRulesMatchDirectoriesAndDevices) {
  DeviceFacts facts = adapter();
  EXPECT_FALSE(matches("      sysfs: /sys/class/tty/*\n", facts));
  facts.found_by = {{"/sys/class/tty/*", "/sys/class/tty/ttyUSB0"}};
  EXPECT_TRUE(matches("      sysfs: /sys/class/tty/*\n      driver: ftdi_sio\n", facts));
  EXPECT_EQ(matcher("      sysfs: /sys/class/tty/*\n").found_path(facts), "/sys/class/tty/ttyUSB0");
  facts.kind = DeviceKind::sysfs_directory;
  EXPECT_TRUE(
      matches("      sysfs: /sys/class/tty/*\n      attribute: {port_number: \"0\"}\n", facts));
}

TEST(Matcher, ReturnsCapturesOnlyOnMatch) {
  const Matcher match = matcher(
      "      subsystem: tty\n"
      "      name: {regex: 'ttyUSB(?P<n>\\d+)'}\n"
      "      property: {ID_SERIAL_SHORT: {regex: '(?P<site>[A-Z]+)\\d+'}}\n");
  Captures captures{{"old", "x"}};
  EXPECT_TRUE(match.matches(adapter(), captures));
  EXPECT_EQ(captures, (Captures{{"n", "0"}, {"site", "LAB"}}));
  DeviceFacts other = adapter();
  fake::drop(other, Fact::property);
  EXPECT_FALSE(match.matches(other, captures));
  EXPECT_TRUE(captures.empty());
}

TEST(Matcher, SupportsEqualityAndPrinting) {
  const std::string block = "      tag: seat\n      name: tty*\n      subsystem: tty\n";
  EXPECT_EQ(matcher(block), matcher(block));
  EXPECT_FALSE(matcher(block) == matcher("      subsystem: tty\n"));
  EXPECT_EQ(matcher(block).to_text(), R"(subsystem: "tty", name: "tty*", tag: "seat")");
  EXPECT_EQ(matcher("      glob: /x/*\n      type: file\n").to_text(),
            R"(glob: /x/*, type: "file")");
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
    fake::set(facts, Fact::property, "ID_SERIAL_SHORT", {value});
    EXPECT_EQ(matches(block, facts), value.starts_with("LAB"));
  }
}

/// The adapter with its ancestors.
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
  fake::set(device, Fact::attribute, "manufacturer", {"Lab"});
  facts.ancestors = {interface, device};
  return facts;
}

const std::string kTty = "      subsystem: tty\n";

TEST(MatcherBlocks, OneBlockOfAnyMustMatch) {
  EXPECT_TRUE(matches(kTty + "      any: [{name: x}, {tag: seat}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{name: x}, {tag: y}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      name: x\n      any: [{tag: seat}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{tag: seat, name: x}]\n", adapter()));
}

TEST(MatcherBlocks, NoBlockOfExceptMayMatch) {
  EXPECT_FALSE(matches(kTty + "      except: {tag: seat}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      except: [{name: x}, {tag: seat}]\n", adapter()));
  EXPECT_TRUE(matches(kTty + "      except: {tag: seat, name: x}\n", adapter()));
  // A condition of `except` on an absent value excludes no device.
  EXPECT_TRUE(matches(kTty + "      except: {usb: {serial: \"*\"}}\n", adapter()));
}

TEST(MatcherBlocks, OneAncestorMustMatchWholeBlock) {
  const auto above = [](const std::string& block) {
    return matches(kTty + "      ancestor: " + block + "\n", below_usb());
  };
  EXPECT_TRUE(above("{subsystem: usb, devtype: usb_device, attribute: {manufacturer: Lab}}"));
  EXPECT_FALSE(above("{subsystem: usb, devtype: usb_interface, attribute: {manufacturer: Lab}}"));
  const auto each_above = [](const std::string& one, const std::string& other) {
    return matches(kTty + "      all: [{ancestor: " + one + "}, {ancestor: " + other + "}]\n",
                   below_usb());
  };
  EXPECT_TRUE(each_above("{devtype: usb_interface}", "{attribute: {manufacturer: Lab}}"));
  EXPECT_FALSE(each_above("{devtype: usb_interface}", "{subsystem: pci}"));
  EXPECT_FALSE(above("{subsystem: tty}"));  // The device itself is no ancestor.
  EXPECT_FALSE(matches(kTty + "      ancestor: {subsystem: usb}\n", adapter()));
  EXPECT_TRUE(matches(kTty + "      except: {ancestor: {subsystem: pci}}\n", below_usb()));
}

TEST(MatcherBlocks, FirstMatchingBlockSetsCaptures) {
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

TEST(MatcherBlocks, BlocksMayComparePathTypes) {
  const std::string glob = "      glob: /etc/gophers/*\n";
  EXPECT_TRUE(matches(glob + "      any: [{type: socket}, {type: file}]\n", found_path()));
  EXPECT_FALSE(matches(glob + "      except: {type: file}\n", found_path()));
}

TEST(MatcherPaths, AreComparedAsFoundByPattern) {
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
  fake::set(facts, Fact::file, path, {content});
  return facts;
}

std::vector<std::string> files_of(const std::string& block, const DeviceFacts& facts) {
  std::vector<std::string> files;
  matcher(block).want_files(facts, files);
  return files;
}

TEST(MatcherFiles, AreReadAtRenderedPaths) {
  const std::string block = kTty + "      file: {/etc/on/$(name): \"y*\"}\n";
  EXPECT_EQ(files_of(block, adapter()), std::vector<std::string>{"/etc/on/ttyUSB0"});
  EXPECT_TRUE(matches(block, with_file("/etc/on/ttyUSB0", "yes")));
  EXPECT_FALSE(matches(block, with_file("/etc/on/ttyUSB0", "no")));
  EXPECT_FALSE(matches(block, with_file("/etc/on/ttyUSB1", "yes")));
  const std::string marked = kTty + "      file: {/run/marked/$(name): {exists: true}}\n";
  EXPECT_TRUE(matches(marked, with_file("/run/marked/ttyUSB0", "")));
  EXPECT_FALSE(matches(marked, adapter()));
  EXPECT_FALSE(matches(block, adapter()));
  EXPECT_TRUE(matches(kTty + "      file: {/etc/off/$(name): {exists: false}}\n", adapter()));
}

TEST(MatcherFiles, AreRequestedOnlyIfOtherConditionsMatch) {
  const std::string file = "      file: {/etc/on/$(name): y}\n";
  EXPECT_TRUE(files_of(kTty + "      devtype: disk\n" + file, adapter()).empty());
  EXPECT_EQ(
      files_of(kTty + "      any: [{file: {/a: y}}]\n      except: {file: {/b: y}}\n", adapter()),
      (std::vector<std::string>{"/a", "/b"}));
}

TEST(MatcherFiles, FileWhosePathNeedsAbsentValueNeverMatches) {
  const std::string file = "file: {/etc/off/$(usb.serial): ";
  const std::string except = "      except: {devtype: serial, " + file;
  EXPECT_FALSE(matches(kTty + "      " + file + "{exists: false}}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      " + file + "\"*\"}\n", adapter()));
  EXPECT_FALSE(matches(kTty + "      any: [{" + file + "{exists: false}}}]\n", adapter()));
  EXPECT_FALSE(matches(kTty + except + "\"*\"}}\n", adapter()));
  // The first condition of `except` fails, so its file is not needed.
  EXPECT_TRUE(matches(kTty + "      except: {devtype: disk, " + file + "\"*\"}}\n", adapter()));
  DeviceFacts facts = adapter();
  fake::set(facts, Fact::usb, "serial", {"LAB"});
  EXPECT_TRUE(matches(kTty + except + "\"*\"}}\n", facts));
  fake::set(facts, Fact::file, "/etc/off/LAB", {"off"});
  EXPECT_FALSE(matches(kTty + except + "\"*\"}}\n", facts));
}

DeviceFacts disk() {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0/nvme0/nvme0n1";
  facts.name = "nvme0n1";
  facts.subsystem = "block";
  facts.devtype = "disk";
  facts.devnode = "/dev/nvme0n1";
  fake::set(facts, Fact::attribute, "*/partition", {"1", "2"});
  fake::set(facts, Fact::attribute, "dev", {"259:0"});
  fake::set(facts, Fact::attribute, "size", {"1000"});
  return facts;
}

const std::string kBlock = "      subsystem: block\n";

TEST(MatcherMultipleValues, MatchIfOneValueMatches) {
  const auto condition_matches = [](const std::string& condition) {
    return matches(kBlock + "      attribute: {\"*/partition\": " + condition + "}\n", disk());
  };
  EXPECT_FALSE(condition_matches("{exists: false}"));
  EXPECT_TRUE(condition_matches("{exists: true}"));
  EXPECT_TRUE(condition_matches("\"2\""));
  EXPECT_FALSE(condition_matches("\"3\""));
  EXPECT_FALSE(condition_matches("{not: \"2\"}"));
  EXPECT_TRUE(condition_matches("{not: \"3\"}"));
  EXPECT_TRUE(condition_matches("{gt: 1}"));
  EXPECT_FALSE(condition_matches("{gt: 1, lt: 2}"));
  EXPECT_FALSE(matches(kBlock + "      except: {attribute: {\"*/partition\": \"1\"}}\n", disk()));
}

TEST(MatcherMultipleValues, CaptureFirstMatchingValue) {
  DeviceFacts facts = disk();
  fake::set(facts, Fact::attribute, "*/partition", {"x", "2", "10"});
  Captures captures;
  EXPECT_TRUE(matcher(kBlock + "      attribute: {\"*/partition\": {regex: '(?P<n>\\d+)'}}\n")
                  .matches(facts, captures));
  EXPECT_EQ(captures, (Captures{{"n", "2"}}));
}

const std::string kMounts = "/proc/1/mounts";
const std::string kNotMounted = "file: {/proc/1/mounts: {not: \"*$(devnode) *\"}}";

bool mounted_matches(const std::string& keys, const std::string& mounts,
                     DeviceFacts facts = disk()) {
  fake::set(facts, Fact::file, kMounts, {mounts});
  return matches(kBlock + "      " + keys + "\n", facts);
}

TEST(MatcherVariables, FindMountedDiskOnAnyLine) {
  const std::string root = "proc /proc proc rw 0 0\n/dev/nvme1n1p2 / ext4 rw 0 0\n";
  EXPECT_TRUE(mounted_matches(kNotMounted, root));
  EXPECT_FALSE(
      mounted_matches(kNotMounted, root + "/dev/nvme0n1 /srv xfs rw 0 0\ntmpfs /tmp x 0 0"));
  EXPECT_FALSE(mounted_matches(kNotMounted, "/dev/nvme0n1 / ext4 rw 0 0"));
  EXPECT_TRUE(mounted_matches(kNotMounted, root + "/dev/nvme0n1p1 /srv xfs rw 0 0"));
  EXPECT_FALSE(matches(kBlock + "      " + kNotMounted + "\n", disk()));  // The file cannot be
                                                                          // read.
  EXPECT_TRUE(mounted_matches("file: {/proc/1/mounts: {regex: '(?s).*$(devnode) /srv .*'}}",
                              "x\n/dev/nvme0n1 /srv xfs"));
  EXPECT_FALSE(mounted_matches("except: {file: {/proc/1/mounts: \"*$(devnode) *\"}}",
                               "/dev/nvme0n1 / ext4 rw 0 0"));
}

TEST(MatcherVariables, AreComparedLiterally) {
  const std::string serial = "attribute: {tail: \"a$(usb.serial)b\"}";
  const std::string regex = "attribute: {tail: {regex: 'a$(usb.serial)+b'}}";
  for (const std::string& value :
       {std::string("*"), std::string("?"), std::string("[x]"), std::string(R"(\*)"),
        std::string("."), std::string("x|y"), std::string("$(name)"), std::string(")")}) {
    DeviceFacts facts = disk();
    fake::set(facts, Fact::usb, "serial", {value});
    fake::set(facts, Fact::attribute, "tail", {"a" + value + "b"});
    EXPECT_TRUE(mounted_matches(serial, "", facts)) << value;
    EXPECT_TRUE(mounted_matches(regex, "", facts)) << value;
    fake::set(facts, Fact::attribute, "tail", {"a" + value + value + "b"});
    EXPECT_FALSE(mounted_matches(serial, "", facts)) << value;
    EXPECT_TRUE(mounted_matches(regex, "", facts)) << value;
    fake::set(facts, Fact::attribute, "tail", {"axb"});
    EXPECT_FALSE(mounted_matches(serial, "", facts)) << value;
    EXPECT_FALSE(mounted_matches(regex, "", facts)) << value;
  }
}

TEST(MatcherVariables, ConditionThatNeedsAbsentValueNeverMatches) {
  const auto condition_matches = [](const std::string& keys) {
    return mounted_matches(keys, "nvme0n1 x");
  };
  EXPECT_FALSE(condition_matches("name: \"*$(usb.serial)\""));
  EXPECT_FALSE(condition_matches("name: {not: \"*$(usb.serial)\"}"));
  EXPECT_FALSE(condition_matches("name: {not: {not: \"*$(usb.serial)\"}}"));
  EXPECT_FALSE(condition_matches("name: {not: [x, $(usb.serial)]}"));
  EXPECT_FALSE(condition_matches("name: [x, {regex: 'n.*$(usb.serial)'}]"));
  EXPECT_FALSE(condition_matches("name: {regex: 'nvme.*', not: \"$(usb.serial)\"}"));
  EXPECT_FALSE(condition_matches("attribute: {size: {lt: $(attribute.most)}}"));
  EXPECT_FALSE(
      condition_matches("any: [{name: \"*$(usb.serial)\"}, {name: {not: \"$(usb.serial)\"}}]"));
  EXPECT_FALSE(condition_matches("except: {name: \"$(usb.serial)*\"}"));
  EXPECT_FALSE(condition_matches("except: {name: {not: \"$(usb.serial)*\"}}"));
  EXPECT_FALSE(condition_matches("except: {any: [{name: x}, {name: \"$(usb.serial)\"}]}"));
  EXPECT_FALSE(condition_matches("except: {except: {name: \"$(usb.serial)\"}}"));
  // Another condition or a fallback decides, so the absent value is not needed.
  EXPECT_TRUE(condition_matches("name: [\"nvme*\", \"*$(usb.serial)\"]"));
  EXPECT_TRUE(condition_matches("except: {name: \"$(usb.serial)*\", devtype: partition}"));
  EXPECT_TRUE(condition_matches("attribute: {none: [{exists: false}, \"$(usb.serial)\"]}"));
  EXPECT_TRUE(condition_matches("except: {attribute: {none: \"$(usb.serial)\"}}"));
  EXPECT_TRUE(condition_matches("devnode: \"*/$(usb.serial:-$(name))\""));
  EXPECT_TRUE(condition_matches("devnode: \"*/$(usb.serial:-nvme0n1)\""));
}

TEST(MatcherVariables, ConditionWithUnusableValueNeverMatches) {
  DeviceFacts facts = disk();
  fake::set(facts, Fact::usb, "serial", {"a\nb"});
  EXPECT_FALSE(mounted_matches("name: {not: \"$(usb.serial)\"}", "", facts));
  fake::set(facts, Fact::usb, "serial", {"\xFF"});
  EXPECT_FALSE(mounted_matches("name: {not: \"$(usb.serial)\"}", "", facts));
  fake::set(facts, Fact::attribute, "some", {"1", "2"});
  EXPECT_FALSE(mounted_matches("name: {not: \"$(attribute.some)\"}", "", facts));
}

TEST(MatcherVariables, FallbackReplacesUnusableValue) {
  DeviceFacts facts = disk();
  const auto condition_matches = [&](const std::string& condition) {
    return mounted_matches(condition, "", facts);
  };
  for (const char* serial : {"a\nb", "\xFF"}) {
    fake::set(facts, Fact::usb, "serial", {serial});
    EXPECT_TRUE(condition_matches("devnode: \"*/$(usb.serial:-$(name))\"")) << serial;
    EXPECT_TRUE(condition_matches("name: $(usb.serial:-nvme0n1)")) << serial;
    EXPECT_TRUE(condition_matches("name: {regex: '$(usb.serial:-nvme0n)[0-9]'}")) << serial;
    EXPECT_FALSE(condition_matches("name: {not: $(usb.serial:-nvme0n1)}")) << serial;
  }
  fake::set(facts, Fact::attribute, "some", {"1", "2"});
  EXPECT_TRUE(condition_matches("name: $(attribute.some:-nvme0n1)"));
  // A bound whose value is not a number uses the fallback.
  fake::set(facts, Fact::attribute, "most", {"many"});
  EXPECT_TRUE(condition_matches("attribute: {size: {lt: $(attribute.most:-100Gi)}}"));
  EXPECT_FALSE(condition_matches("attribute: {size: {lt: $(attribute.most:-0)}}"));
  EXPECT_FALSE(condition_matches("attribute: {size: {not: {lt: $(attribute.most:-more)}}}"));
}

TEST(MatcherVariables, ExpandInNumbersAndTexts) {
  DeviceFacts facts = disk();
  fake::set(facts, Fact::attribute, "most", {"0x3e9"});
  EXPECT_TRUE(mounted_matches("attribute: {size: {lt: $(attribute.most)}}", "", facts));
  EXPECT_FALSE(mounted_matches("attribute: {size: {gt: $(attribute.most)}}", "", facts));
  EXPECT_TRUE(mounted_matches("devnode: /dev/$(name)", "", facts));
  EXPECT_FALSE(mounted_matches("devnode: '/dev/$$(name)'", "", facts));
  fake::set(facts, Fact::attribute, "most", {"many"});
  EXPECT_FALSE(mounted_matches("attribute: {size: {not: {gt: $(attribute.most)}}}", "", facts));
}

TEST(MatcherVariables, LoneDollarIsLiteral) {
  DeviceFacts facts = disk();
  fake::set(facts, Fact::attribute, "odd", {"$(name) $x"});
  const auto odd = [&](const std::string& condition) {
    return mounted_matches("attribute: {odd: " + condition + "}", "", facts);
  };
  EXPECT_TRUE(odd("'$$(name) $x'"));
  EXPECT_TRUE(odd(R"('\$(name) $x')"));
  EXPECT_TRUE(odd(R"({regex: '^\$\(name\) \$x$'})"));
  EXPECT_TRUE(odd(R"({regex: '\$(\W)name. .x'})"));
  EXPECT_FALSE(odd("'nvme0n1 $x'"));
}

TEST(MatcherVariables, UseDeviceValuesInAncestorBlocks) {
  DeviceFacts facts = disk();
  DeviceFacts above;
  above.subsystem = "nvme";
  above.name = "nvme0";
  facts.ancestors = {above};
  fake::set(facts, Fact::attribute, "of", {"nvme0"});
  const std::string same = "ancestor: {subsystem: nvme, name: $(attribute.of)}";
  EXPECT_TRUE(mounted_matches(same, "", facts));
  EXPECT_TRUE(mounted_matches("name: \"$(ancestor.nvme.name)n*\"", "", facts));
  fake::set(facts, Fact::attribute, "of", {"nvme1"});
  EXPECT_FALSE(mounted_matches(same, "", facts));
  WantedFacts wanted;
  matcher(kBlock + "      " + same + "\n").want(wanted);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), std::vector<std::string>{"of"});
  EXPECT_FALSE(wanted.above.at(0).wants(Fact::attribute));
}

TEST(MatcherVariables, RequestTheirFacts) {
  const Matcher match = matcher(kBlock +
                                "      name: \"$(attribute.of)n*\"\n"
                                "      file: {/etc/disks: {not: \"*$(link.by-id)*\"}}\n");
  DeviceFacts cheap = disk();
  fake::drop(cheap, Fact::attribute);
  EXPECT_TRUE(match.could_match(cheap));
  WantedFacts wanted;
  match.want(wanted);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), std::vector<std::string>{"of"});
  EXPECT_TRUE(wanted.wants(Fact::link));
  EXPECT_FALSE(matcher(kBlock + "      name: \"x-$(devtype)\"\n").could_match(cheap));
}

TEST(MatcherVariables, PathVariableIsTheFoundPath) {
  const std::string glob = "      glob: /etc/gophers/*\n";
  DeviceFacts facts = found_path();
  fake::set(facts, Fact::file, "/etc/gophers/g1", {"burrow of /etc/gophers/g1"});
  EXPECT_TRUE(matches(glob + "      file: {$(path): \"*$(path)\"}\n", facts));
  EXPECT_FALSE(matches(glob + "      except: {file: {$(path): \"*$(path)\"}}\n", facts));
}

TEST(MatcherBlocks, RequestTheirFacts) {
  const Matcher match = matcher(kTty +
                                "      any: [{name: x}, {attribute: {a: x}}]\n"
                                "      except: {usb: {serial: x}}\n"
                                "      ancestor: {subsystem: usb, property: {P: x}}\n");
  WantedFacts wanted;
  match.want(wanted);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), std::vector<std::string>{"a"});
  EXPECT_EQ(fake::names(wanted, Fact::usb), std::vector<std::string>{"serial"});
  ASSERT_EQ(wanted.above.size(), 1U);
  EXPECT_EQ(fake::names(wanted.above.front(), Fact::property), std::vector<std::string>{"P"});
  EXPECT_TRUE(match.could_match(adapter()));
  EXPECT_FALSE(matcher(kTty + "      any: [{name: x}, {name: y}]\n").could_match(adapter()));
}

TEST(MatcherBlocks, EachBlockOfAllMustMatch) {
  const std::string usb = "{ancestor: {subsystem: usb, devtype: usb_device}}";
  const std::string none = "{ancestor: {subsystem: pci, name: none}}";
  EXPECT_TRUE(matches(kTty + "      all: [" + usb + ", {name: \"tty*\"}]\n", below_usb()));
  EXPECT_FALSE(matches(kTty + "      all: [" + usb + ", " + none + "]\n", below_usb()));
  EXPECT_TRUE(matches(kTty + "      any: [" + usb + ", " + none + "]\n", below_usb()));
  EXPECT_FALSE(
      matches(kTty + "      except: {all: [" + usb + ", {name: \"tty*\"}]}\n", below_usb()));
  EXPECT_TRUE(matches(kTty + "      except: {all: [" + usb + ", " + none + "]}\n", below_usb()));
  EXPECT_FALSE(matcher(kTty + "      all: [{name: x}]\n").could_match(below_usb()));
  WantedFacts wanted;
  matcher(kTty + "      all: [{attribute: {a: x}}]\n").want(wanted);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), std::vector<std::string>{"a"});
  EXPECT_EQ(matcher(kTty + "      all: [{name: x}, {driver: y}]\n"),
            matcher(kTty + "      name: x\n      driver: y\n"));
}

TEST(MatcherBlocks, SupportEqualityAndPrinting) {
  const std::string block = kTty + "      except: {name: x}\n      ancestor: {subsystem: usb}\n";
  EXPECT_EQ(matcher(block).to_text(),
            "subsystem: \"tty\", except: [{name: \"x\"}], ancestor: [{subsystem: \"usb\"}]");
  EXPECT_EQ(matcher(block), matcher(block));
  EXPECT_FALSE(matcher(block) == matcher(kTty + "      except: {name: x}\n"));
}

}  // namespace
}  // namespace patchbay::rules
