#include "rules/text/template.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/plan/entry.h"

namespace patchbay::rules {
namespace {

TemplateRules rules_of(RuleKind kind, const std::vector<std::string>& captures) {
  return {.entity = {kind, captures}, .grouped = true, .shared = true};
}

const TemplateRules kSubsystem = [] {
  TemplateRules rules = rules_of(RuleKind::subsystem, {"n"});
  rules.members = {{"meta", {RuleKind::subsystem, std::vector<std::string>{}}},
                   {"sound", {RuleKind::glob, std::vector<std::string>{"card"}}}};
  return rules;
}();
const TemplateRules kSysfs = rules_of(RuleKind::sysfs, {});

Template compiled(const std::string& text, TextUse use, const TemplateRules& rules = kSubsystem) {
  config::Diagnostics diagnostics;
  auto made = Template::compile({text, {}}, use, rules, diagnostics);
  EXPECT_TRUE(made) << config::render(diagnostics);
  return *made;
}

class TemplateTest : public testing::Test {
 protected:
  TemplateTest() {
    device.key = "/sys/devices/x/ttyUSB0";
    device.name = "ttyUSB0";
    device.subsystem = "tty";
    device.devtype = "serial";
    device.devnode = "/dev/ttyUSB0";
    fake::set(device, Fact::driver, {"ftdi_sio"});
    fake::set(device, Fact::attribute, "port_number", {"0"});
    fake::set(device, Fact::attribute, "device/vendor", {"0403"});
    fake::set(device, Fact::property, "SERIAL", {"LAB42"});
    fake::set(device, Fact::link, {},
              {"/dev/serial/by-id/usb-a", "/dev/serial/by-id/usb-b", "/dev/serial/by-path/p"});
    captures = {{"n", "0"}};
    sound.key = "/dev/snd/controlC3";
    sound.name = "controlC3";
    members[1].device = {&sound, &sound_captures, sound.key};
  }

  /// The rendered text, or "! " and the error.
  std::string render(const std::string& text, TextUse use = TextUse::value,
                     const TemplateRules& rules = kSubsystem) {
    const RenderScope scope{.device = {&device, &captures, "/sys/class/tty/ttyUSB0"},
                            .members = members,
                            .by = "1-2.4",
                            .id = "LAB42",
                            .resource = "example.com/uart",
                            .node = "bench-1",
                            .slot = 3,
                            .share = 7,
                            .shares = 2};
    const auto text_or = compiled(text, use, rules).render(scope);
    return text_or ? *text_or : "! " + text_or.error().message;
  }
  std::string with_serial(const std::string& serial, const std::string& text, TextUse use) {
    fake::set(device, Fact::property, "SERIAL", {serial});
    return render(text, use);
  }

  DeviceFacts device;
  Captures captures;
  DeviceFacts sound;
  Captures sound_captures{{"card", "3"}};
  std::vector<MemberScope> members{{.name = "meta", .device = {}}, {.name = "sound", .device = {}}};
};

TEST_F(TemplateTest, ExpandsEachDeviceVariable) {
  EXPECT_EQ(render("$(name) $(subsystem) $(devtype) $(driver)"), "ttyUSB0 tty serial ftdi_sio");
  EXPECT_EQ(render("$(devnode) $(syspath)"), "/dev/ttyUSB0 /sys/devices/x/ttyUSB0");
  EXPECT_EQ(render("$(attribute.port_number) $(attribute.device/vendor)"), "0 0403");
  EXPECT_EQ(render("$(property.SERIAL) $(capture.n)"), "LAB42 0");
  EXPECT_EQ(render("$(link.by-id) $(link.by-path)"),
            "/dev/serial/by-id/usb-a /dev/serial/by-path/p");
  EXPECT_EQ(render("$(id) $(resource) $(node) $(slot)"), "LAB42 example.com/uart bench-1 3");
  EXPECT_EQ(render("$(path)", TextUse::value, kSysfs), "/sys/class/tty/ttyUSB0");
}

TEST_F(TemplateTest, ExpandsUnitVariables) {
  EXPECT_EQ(render("$(by) $(share) $(shares)"), "1-2.4 7 2");
  EXPECT_EQ(render("$(sound.name) $(sound.path) $(sound.capture.card) $(name)"),
            "controlC3 /dev/snd/controlC3 3 ttyUSB0");
  EXPECT_EQ(render("$(meta.devnode:-none)"), "none");
  EXPECT_EQ(render("$(meta.devnode)"),
            "! '$(meta.devnode)' needs $(meta.devnode), which the unit does not have");
}

TEST_F(TemplateTest, WritesDollarsAndParentheses) {
  EXPECT_EQ(render("$$(name) costs 5$$ (or $(slot)) :-"), "$(name) costs 5$ (or 3) :-");
}

TEST_F(TemplateTest, FailsOnAbsentValue) {
  EXPECT_EQ(render("x$(property.NONE)"),
            "! 'x$(property.NONE)' needs $(property.NONE), which the device does not have");
  device.devnode.clear();
  EXPECT_EQ(render("$(devnode)"),
            "! '$(devnode)' needs $(devnode), which the device does not have");
  EXPECT_EQ(render("$(link.by-label)").substr(0, 2), "! ");
  fake::set(device, Fact::attribute, "*/partition", {"1"});
  EXPECT_EQ(render("$(attribute.*/partition)"), "1");
  fake::set(device, Fact::attribute, "*/partition", {"1", "2"});
  EXPECT_EQ(
      render("$(attribute.*/partition)"),
      "! '$(attribute.*/partition)' needs $(attribute.*/partition), which has several values");
  EXPECT_EQ(render("$(attribute.*/partition:-none)"), "none");
  fake::set(device, Fact::property, "SERIAL", {""});
  EXPECT_EQ(render("$(property.SERIAL)").substr(0, 2), "! ");
}

TEST_F(TemplateTest, UsesFallback) {
  EXPECT_EQ(render("$(property.SERIAL:-none)"), "LAB42");
  EXPECT_EQ(render("$(property.NONE:-none)"), "none");
  EXPECT_EQ(render("a$(property.NONE:-)b"), "ab");
  EXPECT_EQ(render("$(property.A:-$(property.B:-$(name)-$$x))!"), "ttyUSB0-$x!");
  EXPECT_EQ(render("$(property.A:-$(property.B))"),
            "! '$(property.A:-$(property.B))' needs $(property.B), which the device does not have");
  EXPECT_EQ(render("$(link.by-label:-/dev/none)", TextUse::path), "/dev/none");
}

TEST_F(TemplateTest, DoesNotUseFallbackForHostileValue) {
  EXPECT_EQ(with_serial("a\nb", "$(property.SERIAL:-none)", TextUse::value),
            "! '$(property.SERIAL:-none)' $(property.SERIAL) is \"a\\x0ab\", which contains a "
            "control character");
}

TEST_F(TemplateTest, NeverExpandsValuesAgain) {
  EXPECT_EQ(with_serial("$(node)$$", "$(property.SERIAL)", TextUse::value), "$(node)$$");
}

TEST_F(TemplateTest, RejectsHostileValuesInEachUse) {
  for (const TextUse use :
       {TextUse::id, TextUse::path, TextUse::env_name, TextUse::value, TextUse::annotation_name}) {
    const std::string text = use == TextUse::path ? "/x/$(property.SERIAL)" : "x$(property.SERIAL)";
    EXPECT_TRUE(with_serial("a\nb", text, use).starts_with("! "));
    EXPECT_TRUE(with_serial(std::string("a\0b", 3), text, use).starts_with("! "));
    EXPECT_TRUE(with_serial("a\x1b[2J", text, use).starts_with("! "));
    EXPECT_TRUE(with_serial("a\xFF", text, use).starts_with("! "));
    EXPECT_TRUE(with_serial("\xC0\xAE\xC0\xAE", text, use).starts_with("! "));
  }
}

TEST_F(TemplateTest, RejectsPathTraversal) {
  const std::string text = "/mnt/$(property.SERIAL)";
  EXPECT_EQ(with_serial("LAB42", text, TextUse::path), "/mnt/LAB42");
  EXPECT_EQ(with_serial("../../etc", text, TextUse::path),
            "! '/mnt/$(property.SERIAL)' $(property.SERIAL) is \"../../etc\", which cannot be a "
            "component of a path");
  EXPECT_TRUE(with_serial("..", text, TextUse::path).starts_with("! "));
  EXPECT_TRUE(with_serial(".", text, TextUse::path).starts_with("! "));
  EXPECT_TRUE(with_serial("..", "/mnt/x$(property.SERIAL)", TextUse::path).starts_with("! "));
  EXPECT_EQ(with_serial("-rf", text, TextUse::path), "/mnt/-rf");
  EXPECT_TRUE(with_serial(std::string(5000, 'x'), text, TextUse::path).starts_with("! "));
  captures["n"] = ".";
  EXPECT_TRUE(render("/mnt/.$(capture.n)", TextUse::path).starts_with("! "));
  device.devnode = "/dev/../etc/shadow";
  EXPECT_EQ(render("$(devnode)", TextUse::path),
            "! '$(devnode)' $(devnode) is \"/dev/../etc/shadow\", which contains '..'");
  device.devnode = "dev/x";
  EXPECT_TRUE(render("$(devnode)", TextUse::path).starts_with("! "));
}

TEST_F(TemplateTest, ReplacesInvalidIdCharacters) {
  EXPECT_EQ(with_serial("a b/c$ä€", "$(property.SERIAL)-$(name)", TextUse::id), "a_b_c___-ttyUSB0");
  EXPECT_EQ(with_serial("AZaz09._:-", "$(property.SERIAL)", TextUse::id), "AZaz09._:-");
  EXPECT_EQ(with_serial("../../etc", "$(property.SERIAL)", TextUse::id), ".._.._etc");
  EXPECT_EQ(with_serial("-rf", "$(property.SERIAL)", TextUse::id), "-rf");
  EXPECT_EQ(render("$(devnode)", TextUse::id), "_dev_ttyUSB0");
}

TEST_F(TemplateTest, ShortensLongIdsWithStableHash) {
  const std::string most(63, 'x');
  EXPECT_EQ(with_serial(most, "$(property.SERIAL)", TextUse::id), most);
  const std::string shortened = with_serial(most + "y", "$(property.SERIAL)", TextUse::id);
  EXPECT_EQ(shortened, std::string(52, 'x') + "-b96a59cbb5");
  EXPECT_NE(with_serial(most + "z", "$(property.SERIAL)", TextUse::id), shortened);
  EXPECT_EQ(with_serial(std::string(4096, 'x'), "$(property.SERIAL)", TextUse::id).size(), 63U);
}

TEST_F(TemplateTest, ReplacesInvalidEnvNameCharacters) {
  EXPECT_EQ(with_serial("a-b=c", "X_$(property.SERIAL)", TextUse::env_name), "X_a_b_c");
  EXPECT_EQ(with_serial("1a", "$(property.SERIAL)", TextUse::env_name),
            "! '$(property.SERIAL)' gives \"1a\", which begins with a digit");
  EXPECT_EQ(with_serial("a=b/\"", "$(property.SERIAL)", TextUse::value), "a=b/\"");
}

TEST_F(TemplateTest, ReplacesSlashOfValueInAnnotationName) {
  EXPECT_EQ(with_serial("evil.io/x", "$(property.SERIAL)", TextUse::annotation_name), "evil.io_x");
}

TEST(Template, ListsRequiredFacts) {
  const Template text =
      compiled("$(attribute.a:-$(property.B))$(link.by-id)$(driver)", TextUse::value);
  WantedFacts wanted;
  text.want(wanted);
  EXPECT_EQ(fake::names(wanted, Fact::attribute), std::vector<std::string>{"a"});
  EXPECT_EQ(fake::names(wanted, Fact::property), std::vector<std::string>{"B"});
  EXPECT_TRUE(wanted.wants(Fact::link) && wanted.wants(Fact::driver));
  EXPECT_FALSE(wanted.wants(Fact::tag));
}

TEST(Template, ListsFactsForEachMember) {
  const Template text = compiled("$(attribute.a) $(meta.attribute.b)", TextUse::value);
  WantedFacts matched;
  text.want(matched);
  EXPECT_EQ(fake::names(matched, Fact::attribute), std::vector<std::string>{"a"});
  WantedFacts meta;
  text.want(meta, "meta");
  EXPECT_EQ(fake::names(meta, Fact::attribute), std::vector<std::string>{"b"});
}

/// The multiplicity of an entry with this text, as one line.
std::string multiplicity(const std::string& text) {
  const Template made = compiled(text, TextUse::value);
  const Template* const one = &made;
  const Multiplicity of = Multiplicity::of({&one, 1});
  std::string out = of.per_unit ? "unit" : "container";
  if (of.matched) out += " matched";
  if (of.shares) out += " shares";
  for (const std::string& name : of.members) out += " " + name;
  for (const std::string& name : of.required) out += " " + name + "!";
  return out;
}

TEST(Template, MultiplicityFollowsVariables) {
  EXPECT_EQ(multiplicity("x"), "container");
  EXPECT_EQ(multiplicity("$(node) $(resource)"), "container");
  EXPECT_EQ(multiplicity("$(slot)"), "unit");
  EXPECT_EQ(multiplicity("$(by) $(shares)"), "unit");
  EXPECT_EQ(multiplicity("$(node:-$(name))"), "unit matched");
  EXPECT_EQ(multiplicity("$(capture.n)"), "unit matched");
  EXPECT_EQ(multiplicity("$(meta.devnode)"), "unit meta meta!");
  EXPECT_EQ(multiplicity("$(meta.devnode:-$(sound.path)) $(share)"), "unit shares meta sound");
}

TEST(Template, SupportsEquality) {
  EXPECT_EQ(compiled("a$(name)", TextUse::id), compiled("a$(name)", TextUse::id));
  EXPECT_FALSE(compiled("a$(name)", TextUse::id) == compiled("a$(id)", TextUse::value));
  EXPECT_FALSE(compiled("$(name)", TextUse::id) == compiled("$(meta.name)", TextUse::id));
  const Template node = compiled("$(devnode)", TextUse::path);
  ASSERT_NE(node.sole_variable(), nullptr);
  EXPECT_TRUE(node.sole_variable()->is(Fact::devnode));
  EXPECT_EQ(compiled("$(devnode:-/x)", TextUse::path).sole_variable(), nullptr);
}

TEST(TemplateAncestors, ResolveToNearestOfSubsystem) {
  DeviceFacts facts;
  for (const char* const name : {"1-2.4:1.0", "1-2.4"}) {
    DeviceFacts above;
    above.subsystem = "usb";
    above.name = name;
    fake::set(above, Fact::attribute, "serial", {"../LAB"});
    facts.ancestors.push_back(above);
  }
  RenderScope scope;
  scope.device.facts = &facts;
  EXPECT_EQ(compiled("$(ancestor.usb.name)", TextUse::value).render(scope), "1-2.4:1.0");
  EXPECT_EQ(compiled("$(ancestor.pci.name:-none)", TextUse::value).render(scope), "none");
  const Template path = compiled("/x/$(ancestor.usb.attribute.serial)", TextUse::path);
  EXPECT_EQ(path.render(scope).error().message,
            "'/x/$(ancestor.usb.attribute.serial)' $(ancestor.usb.attribute.serial) is \"../LAB\", "
            "which cannot be a component of a path");
  EXPECT_EQ(compiled("$(ancestor.usb.devnode)", TextUse::path).render(scope).error().message,
            "'$(ancestor.usb.devnode)' needs $(ancestor.usb.devnode), which the device does not "
            "have");
}

TEST(TemplateAncestors, AreReadOnlyIfNamed) {
  WantedFacts wanted;
  compiled("$(usb.serial) $(ancestor.usb.attribute.serial)", TextUse::value).want(wanted);
  EXPECT_FALSE(wanted.wants(Fact::attribute));
  ASSERT_EQ(wanted.above.size(), 1U);
  EXPECT_EQ(fake::names(wanted.above.front(), Fact::attribute), std::vector<std::string>{"serial"});
  EXPECT_FALSE(wanted.above.front().wants(Fact::usb));
}

}  // namespace
}  // namespace patchbay::rules
