#include "rules/plan/step.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

GroupPlan group_with(const std::string& item) {
  const Compiled compiled = compile_group(
      "    match: {subsystem: tty}\n    by: $(property.SERIAL)\n"
      "    members: {sound: {match: {subsystem: sound}}}\n    preStart:\n      - " +
      item + "\n");
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan ? compiled.plan->resources.at(0)->groups.at(0) : GroupPlan{};
}

StepPlan step(const std::string& item) {
  const GroupPlan group = group_with(item);
  return group.pre_start.empty() ? StepPlan{} : group.pre_start.front();
}

class StepTest : public testing::Test {
 protected:
  StepTest() {
    device.key = "/sys/devices/x/ttyUSB0";
    device.name = "ttyUSB0";
    device.devnode = "/dev/ttyUSB0";
    fake::set(device, Fact::property, "SERIAL", {"LAB42"});
    fake::set(device, Fact::usb, "devnode", {"/dev/bus/usb/001/004"});
    fake::set(device, Fact::usb, "socket", {"0000:00:14.0-usbv2-2.4"});
  }

  [[nodiscard]] Result<Step> render(const StepPlan& plan) const {
    return plan.render({.device = {.facts = &device}, .id = "LAB42", .node = "bench-1"});
  }
  /// Why the item is refused for a device with this serial number; empty if it is accepted.
  std::string refusal(const std::string& item, const std::string& serial) {
    fake::set(device, Fact::property, "SERIAL", {serial});
    const auto rendered = render(step(item));
    return rendered ? "" : rendered.error().message;
  }

  DeviceFacts device;
};

TEST_F(StepTest, RendersEachKind) {
  const auto exec = render(step("exec: [/hooks/on.sh, --port, $(usb.socket), '']"));
  ASSERT_TRUE(exec);
  EXPECT_EQ(*exec, (Step{.kind = Step::Kind::exec,
                         .arguments = {"/hooks/on.sh", "--port", "0000:00:14.0-usbv2-2.4", ""}}));
  const auto write = render(step("write: {path: $(syspath)/power/control, value: 'on $(id)'}"));
  ASSERT_TRUE(write);
  EXPECT_EQ(*write, (Step{.kind = Step::Kind::write,
                          .path = "/sys/devices/x/ttyUSB0/power/control",
                          .value = "on LAB42"}));
  const auto reset = render(step("usbReset: true"));
  ASSERT_TRUE(reset);
  EXPECT_EQ(*reset, (Step{.kind = Step::Kind::usb_reset, .path = "/dev/bus/usb/001/004"}));
  const auto wait = render(step("wait: {path: $(devnode), for: 25s}"));
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, (Step{.kind = Step::Kind::wait, .path = "/dev/ttyUSB0", .limit = seconds(25)}));
  EXPECT_EQ(render(step("wait: {path: /dev/kfd}"))->limit, seconds(2));
}

TEST_F(StepTest, RejectsHostileValues) {
  const std::string exec = "exec: [/hooks/on.sh, $(property.SERIAL)]";
  EXPECT_EQ(refusal(exec, "LAB42"), "");
  EXPECT_THAT(refusal(exec, "--help"), testing::HasSubstr("would read as an option"));
  EXPECT_NE(refusal(exec, "a\nb"), "");
  const std::string path = "write: {path: /sys/lab/$(property.SERIAL), value: '1'}";
  EXPECT_EQ(refusal(path, "--help"), "");
  EXPECT_NE(refusal(path, "../kernel/x"), "");
  EXPECT_NE(refusal(path, ".."), "");
  const std::string value = "write: {path: /sys/lab/x, value: $(property.SERIAL)}";
  EXPECT_EQ(refusal(value, "../kernel/x"), "");  // A value to write is not a path.
  EXPECT_NE(refusal(value, "1\n2"), "");
  EXPECT_NE(refusal("wait: {path: /dev/lab/$(property.SERIAL)}", "a/b"), "");
}

TEST_F(StepTest, ResetsOnlyDevicesBelowUsb) {
  const StepPlan plan = step("usbReset: true");
  fake::set(device, Fact::usb, "devnode", {"/dev/bus/usb/../mem"});
  EXPECT_FALSE(render(plan));
  fake::drop(device, Fact::usb);
  const auto reset = render(plan);
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().message, "'usbReset' needs a USB device: this device is not below one");
}

TEST_F(StepTest, RequestsItsFacts) {
  EXPECT_THAT(fake::names(group_with("usbReset: true").wanted(0), Fact::usb),
              ElementsAre("devnode"));
  EXPECT_THAT(fake::names(group_with("usbReset: true").wanted(1), Fact::usb), testing::IsEmpty());
  const GroupPlan group =
      group_with("write: {path: /run/$(usb.socket), value: $(sound.attribute.id)}");
  EXPECT_THAT(fake::names(group.wanted(0), Fact::usb), ElementsAre("socket"));
  EXPECT_THAT(fake::names(group.wanted(1), Fact::attribute), ElementsAre("id"));
}

TEST_F(StepTest, MultiplicityFollowsVariables) {
  EXPECT_TRUE(step("usbReset: true").multiplicity.matched);
  EXPECT_FALSE(step("wait: {path: /dev/kfd}").multiplicity.per_unit);
  EXPECT_TRUE(step("write: {path: /run/a, value: $(name)}").multiplicity.matched);
  EXPECT_THAT(step("wait: {path: $(sound.devnode)}").multiplicity.members, ElementsAre("sound"));
}

}  // namespace
}  // namespace patchbay::rules
