#include <algorithm>
#include <optional>
#include <ostream>

#include "base/text.h"
#include "fake/facts.h"
#include "inventory/inventory_fixture.h"
#include "rules/compile.h"

namespace patchbay::inventory {
namespace {

using OptionalText = std::optional<std::string>;
constexpr std::nullopt_t kRefused = std::nullopt;

/// A value of a device, and the expected text for each use of it; kRefused if the use must fail.
struct Hostile {
  std::string value;
  OptionalText path_component;  ///< As a component of any path.
  OptionalText text;            ///< In an env or an annotation; also in `by`.
  OptionalText id;
  OptionalText env_name;
  OptionalText annotation_name;
};

/// Prints the value in the names of tests.
void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << '"' << printable(hostile.value, 20) << '"';
}

/// A value that no use accepts, because of a control character or invalid UTF-8.
Hostile nowhere(const std::string& value) {
  return {value, kRefused, kRefused, kRefused, kRefused, kRefused};
}

std::string long_id(const std::string& text) {
  return text.substr(0, 52) + '-' + stable_hash_hex(text, 10);
}

std::vector<Hostile> hostile_values() {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace): for NULs.
  const std::string huge(4096, 'A');
  const std::string longest(255, 'A');
  const std::string too_long(256, 'A');
  return {
      nowhere(""),
      nowhere("a\nb"),
      nowhere("\n"),
      nowhere("a\0b"s),
      nowhere("\0"s),
      nowhere("\x1b[2J"),
      nowhere("\x7f"),
      nowhere("\xC2\x9B"),  // U+009B, which begins a terminal command, as ESC [ does.
      nowhere("x\r"),
      nowhere("\xff\xfe"),
      nowhere("caf\xe9"),           // Latin-1.
      nowhere("\xc3"),              // Truncated.
      nowhere("\xc0\xaf"),          // An overlong '/'.
      nowhere("\xed\xa0\x80"),      // Half of a surrogate pair.
      nowhere("\xf4\x90\x80\x80"),  // Above U+10FFFF.
      {"../../etc", kRefused, "../../etc", ".._.._etc", "______etc", ".._.._etc"},
      {"/", kRefused, "/", "_", "_", "_"},
      {"/etc/shadow", kRefused, "/etc/shadow", "_etc_shadow", "_etc_shadow", "_etc_shadow"},
      {"..", kRefused, "..", "..", "__", ".."},
      {".", kRefused, ".", ".", "_", "."},
      {"...", "...", "...", "...", "___", "..."},
      {"a/", kRefused, "a/", "a_", "a_", "a_"},
      {"-rf", "-rf", "-rf", "-rf", "_rf", "-rf"},
      {"--", "--", "--", "--", "__", "--"},
      {"$(node)", "$(node)", "$(node)", "__node_", "__node_", "__node_"},
      {"$(id:-x)", "$(id:-x)", "$(id:-x)", "__id:-x_", "__id__x_", "__id_-x_"},
      {"$$", "$$", "$$", "__", "__", "__"},
      {"${PATH}", "${PATH}", "${PATH}", "__PATH_", "__PATH_", "__PATH_"},
      {"`reboot`", "`reboot`", "`reboot`", "_reboot_", "_reboot_", "_reboot_"},
      {"a b", "a b", "a b", "a_b", "a_b", "a_b"},
      {"a=b", "a=b", "a=b", "a_b", "a_b", "a_b"},
      {"%n", "%n", "%n", "_n", "_n", "_n"},
      {"x::0", "x::0", "x::0", "x::0", "x__0", "x__0"},
      {"é", "é", "é", "_", "_", "_"},
      {"\u202Egnp", "\u202Egnp", "\u202Egnp", "_gnp", "_gnp", "_gnp"},
      {longest, longest, longest, long_id(longest), longest, longest},
      {too_long, kRefused, too_long, long_id(too_long), too_long, too_long},
      {huge, kRefused, huge, long_id(huge), huge, huge},
  };
}

/// The unit of a device with its answer to Allocate, or the reason why there is none.
struct Outcome {
  OptionalText id;
  OptionalText by;
  std::string reason;
  Allocation given;
};

class HostileTest : public testing::TestWithParam<Hostile> {
 protected:
  /// The result for a group with these keys and a device with the tested value.
  static Outcome outcome(const std::string& keys, const std::string& match = "subsystem: tty") {
    Inventory inventory(plan_of("  - name: a.io/x\n    match: {" + match + "}\n" + keys));
    inventory.apply(shared(serial("ttyUSB0", GetParam().value)));
    DeviceFacts member = usb_child("sound", "pcm0", "1");
    if (!GetParam().value.empty()) fake::set(member, Fact::property, "SERIAL", {GetParam().value});
    inventory.apply(shared(member));
    const Resolution& resolution = inventory.resolve(kStart);
    Outcome out;
    if (!resolution.resources.at(0).snapshot->units.empty()) {
      const Unit& unit = resolution.resources.at(0).snapshot->units.front();
      out.id = unit.id;
      out.by = unit.members->by;
      const auto given = allocated(resolution, {unit.listed_id(0)});
      EXPECT_TRUE(given) << given.error().message;
      if (given) out.given = *given;
    }
    if (!all_refusals(resolution).empty()) out.reason = all_refusals(resolution).front().reason;
    check_reason(out, matched_devices(inventory) > 0);
    return out;
  }
  /// Expects a reason if the device matched and has no unit. The reason must be short and
  /// printable.
  static void check_reason(const Outcome& out, bool matched) {
    EXPECT_EQ(out.reason.empty(), out.id.has_value() || !matched);
    EXPECT_EQ(printable(out.reason, 10'000), out.reason);
    EXPECT_LT(out.reason.size(), 1000U);
  }
  static OptionalText mounted(const Outcome& out) {
    return out.given.mounts.empty() ? kRefused : OptionalText(out.given.mounts.front().host_path);
  }
  static OptionalText below(const std::string& directory, const OptionalText& name) {
    return name ? OptionalText(directory + *name) : kRefused;
  }
  template <typename Values>
  static OptionalText first_name(const Values& values) {
    return values.empty() ? kRefused : OptionalText(values.begin()->first);
  }
  template <typename Values>
  static OptionalText first_value(const Values& values) {
    return values.empty() ? kRefused : OptionalText(values.begin()->second);
  }
};

constexpr const char* kOwnId = "    id: $(name)\n";
constexpr const char* kMember =
    "    by: all\n    members: {m: {match: {subsystem: sound}}}\n    id: one\n    devices: []\n";

TEST_P(HostileTest, PathAcceptsOnlySafeValue) {
  const OptionalText& expected = GetParam().path_component;
  const auto device = [](const Outcome& out) -> OptionalText {
    if (out.given.devices.empty()) return kRefused;
    return out.given.devices.front().host_path + " " + out.given.devices.front().container_path;
  };
  EXPECT_EQ(device(outcome(std::string(kOwnId) +
                           "    devices: [{hostPath: /dev/x/$(property.SERIAL), containerPath: "
                           "/dev/x}]\n")),
            expected ? OptionalText("/dev/x/" + *expected + " /dev/x") : kRefused);
  EXPECT_EQ(device(outcome(std::string(kOwnId) + "    devices: [{hostPath: /dev/x, containerPath: "
                                                 "/dev/x/$(property.SERIAL)}]\n")),
            below("/dev/x /dev/x/", expected));
  EXPECT_EQ(
      mounted(outcome(std::string(kOwnId) + "    mounts: [{hostPath: /m/$(property.SERIAL)}]\n")),
      below("/m/", expected));
}

TEST_P(HostileTest, PathAcceptsOnlySafeValueOfMember) {
  const OptionalText& expected = GetParam().path_component;
  const Outcome out =
      outcome(std::string(kMember) + "    mounts: [{hostPath: /m/$(m.property.SERIAL)}]\n");
  EXPECT_EQ(mounted(out), below("/m/", expected));
}

TEST_P(HostileTest, FallbackReplacesOnlyAbsentValues) {
  const Outcome out =
      outcome(std::string(kOwnId) + "    mounts: [{hostPath: \"/m/$(property.SERIAL:-none)\"}]\n");
  const OptionalText expected =
      GetParam().value.empty() ? OptionalText("none") : GetParam().path_component;
  EXPECT_EQ(mounted(out), below("/m/", expected));
}

TEST_P(HostileTest, EnvsAndAnnotationsAreSafe) {
  const Hostile& c = GetParam();
  const std::string id = kOwnId;
  const auto with_x = [](const OptionalText& name) { return below("X_", name); };
  EXPECT_EQ(first_value(outcome(id + "    envs: {X: $(property.SERIAL)}\n").given.envs), c.text);
  EXPECT_EQ(first_value(
                outcome(std::string(kMember) + "    envs: {X: $(m.property.SERIAL)}\n").given.envs),
            c.text);
  EXPECT_EQ(first_name(outcome(id + "    envs: {X_$(property.SERIAL): x}\n").given.envs),
            with_x(c.env_name));
  EXPECT_EQ(
      first_value(outcome(id + "    annotations: {x: $(property.SERIAL)}\n").given.annotations),
      c.text);
  EXPECT_EQ(
      first_name(outcome(id + "    annotations: {a.io/$(property.SERIAL): x}\n").given.annotations),
      below("a.io/", c.annotation_name));
}

TEST_P(HostileTest, IdsAndByAreSafe) {
  const Hostile& c = GetParam();
  EXPECT_EQ(outcome("    id: $(property.SERIAL)\n").id, c.id);
  const Outcome grouped = outcome("    by: $(property.SERIAL)\n    envs: {X: $(by)}\n");
  EXPECT_EQ(grouped.id, c.id);
  EXPECT_EQ(grouped.by, c.text);
  EXPECT_EQ(first_value(grouped.given.envs), c.text);
  // Checks an id as a component of a path, too.
  const Outcome id = outcome("    id: $(property.SERIAL)\n    mounts: [{hostPath: /m/$(id)}]\n");
  const bool usable = c.id && *c.id != "." && *c.id != "..";
  EXPECT_EQ(mounted(id), usable ? below("/m/", c.id) : kRefused);
}

TEST_P(HostileTest, ShareCountRejectsValue) {
  EXPECT_EQ(outcome(std::string(kOwnId) + "    share: {count: $(property.SERIAL)}\n").id, kRefused);
  EXPECT_EQ(outcome(std::string(kOwnId) + "    share: {total: 8, each: $(property.SERIAL)}\n").id,
            kRefused);
}

TEST_P(HostileTest, CapturesAreSafe) {
  const Hostile& c = GetParam();
  const Outcome out = outcome(std::string(kOwnId) + "    mounts: [{hostPath: /m/$(capture.all)}]\n",
                              "subsystem: tty, property: {SERIAL: {regex: '(?s)(?P<all>.*)'}}");
  EXPECT_EQ(mounted(out), below("/m/", c.path_component));
}

/// Expects that no file outside the directory is read, and that no match succeeds without the file.
TEST_P(HostileTest, ComparedFilesAreSafe) {
  const OptionalText path = below("/etc/keys/", GetParam().path_component);
  const DeviceFacts facts = serial("ttyUSB0", GetParam().value);
  for (const std::string match :
       {"file: {/etc/keys/$(property.SERIAL): {exists: false}}",
        "except: {file: {/etc/keys/$(property.SERIAL): \"*\"}}",
        "except: {except: {file: {/etc/keys/$(property.SERIAL): {exists: false}}}}",
        "any: [{file: {/etc/keys/$(property.SERIAL): {exists: false}}}]"}) {
    const auto plan = plan_of("  - {name: a.io/x, match: {subsystem: tty, " + match +
                              "}, id: $(name), devices: []}\n");
    EXPECT_EQ(rules::host_query(plan)->files(facts), path ? Strings{*path} : Strings{}) << match;
    EXPECT_EQ(Inventory(plan).apply(shared(facts)), path.has_value()) << match;
  }
}

INSTANTIATE_TEST_SUITE_P(Values, HostileTest, testing::ValuesIn(hostile_values()),
                         [](const auto& value) { return "Value" + std::to_string(value.index); });

/// Tests paths from udev or the kernel, which are used as a whole.
TEST(HostilePaths, AreRefusedWithReason) {
  const std::vector<std::pair<std::string, std::string>> paths{
      {"/dev/../etc/shadow", "contains '..'"},
      {"/dev/./x", "contains '.'"},
      {"../etc/shadow", "does not begin with '/'"},
      {"dev/x", "does not begin with '/'"},
      {"/dev//x", "contains '//'"},
      {"/dev/x/", "ends in '/'"},
      {"/", "ends in '/'"},
      {"/dev/x\ny", "which contains a control character"},
      {"/dev/\xff", "which contains bytes that are not UTF-8"},
      {"/dev/" + std::string(256, 'A'), "contains a name that is too long for a file"},
      {[] {
         std::string path;
         for (int i = 0; i < 2100; ++i) path += "/A";
         return path;
       }(),
       "is too long for a path"},
  };
  const std::vector<std::string> uses{
      "",
      "devices: [{hostPath: $(devnode), containerPath: /dev/x}]",
      "devices: [{hostPath: /dev/x, containerPath: $(devnode)}]",
      "mounts: [{hostPath: $(devnode)}]",
  };
  for (const auto& [path, reason] : paths) {
    for (const std::string& use : uses) {
      Inventory inventory(
          plan_of("  - name: a.io/x\n    match: {subsystem: tty}\n    id: x\n    " + use + "\n"));
      DeviceFacts facts = serial("ttyUSB0", "A");
      facts.devnode = path;
      inventory.apply(shared(facts));
      const Resolution& resolution = inventory.resolve(kStart);
      EXPECT_EQ(units(resolution), Strings{}) << printable(path) << use;
      ASSERT_EQ(all_refusals(resolution).size(), 1U);
      const std::string reason_text = all_refusals(resolution).front().reason;
      EXPECT_NE(reason_text.find(reason), std::string::npos) << reason_text;
      EXPECT_EQ(printable(reason_text, 10'000), reason_text);
    }
  }
}

TEST(HostileSerials, DefaultIdFallsBackToPort) {
  Inventory inventory(plan_of("  - {name: a.io/x, match: {subsystem: tty}}\n"));
  DeviceFacts facts = usb_child("tty", "ttyUSB0", "1-4");
  fake::set(facts, Fact::usb, "serial", {"A\x01"});
  inventory.apply(shared(facts));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"1-4"});
}

TEST(HostilePaths, LinksAreRefused) {
  Inventory inventory(
      plan_of("  - name: a.io/x\n    match: {subsystem: tty}\n    id: x\n"
              "    devices: [{hostPath: $(devnode), links: true}]\n"));
  DeviceFacts facts = serial("ttyUSB0", "A");
  fake::set(facts, Fact::link, {"/dev/serial/by-id/../../../etc"});
  inventory.apply(shared(facts));
  EXPECT_EQ(refusals(inventory.resolve(kStart)),
            Strings{"0 /sys/devices/usb/ttyUSB0 [x]: $(link.*) is "
                    "\"/dev/serial/by-id/../../../etc\", which contains '..'"});
  fake::set(facts, Fact::link, {"/dev/x\ny"});
  inventory.apply(shared(facts));
  EXPECT_EQ(refusals(inventory.resolve(kStart)),
            Strings{"0 /sys/devices/usb/ttyUSB0 [x]: $(link.*) is \"/dev/x\\x0ay\", which contains "
                    "a control character"});
}

TEST(HostilePaths, ArePrintedEscaped) {
  Inventory inventory(
      plan_of("  - {name: a.io/x, match: {glob: /x/*}, id: same}\n"
              "  - {name: a.io/y, match: {subsystem: tty}, by: all,"
              " members: {m: {match: {glob: /x/*}, by: all}}}\n"));
  for (const std::string path : {"/x/a\nb", "/x/\x1b[2J", "/x/\u202Eab"}) {
    inventory.apply(shared(found("/x/*", path)));
  }
  inventory.apply(shared(serial("ttyUSB0", "A")));
  ASSERT_EQ(all_refusals(inventory.resolve(kStart)).size(), 4U);
  for (const Refusal& refusal : all_refusals(inventory.last())) {
    EXPECT_EQ(printable(refusal.reason, 10'000), refusal.reason);
  }
  // The reason also escapes the path of a removed device.
  Inventory other(
      plan_of("  - {name: a.io/x, match: {glob: /x/*}, by: all, size: 1+, devices: []}\n"));
  other.apply(shared(found("/x/*", "/x/a\nb")));
  other.apply(shared(found("/x/*", "/x/c")));
  EXPECT_EQ(units(other.resolve(kStart)), Strings{"all"});
  other.remove("/x/a\nb");
  other.remove("/x/c");
  EXPECT_EQ(units(other.resolve(kStart)), Strings{"all: /x/a\\x0ab is gone"});
}

}  // namespace
}  // namespace patchbay::inventory
