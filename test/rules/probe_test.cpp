#include "rules/plan/probe.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

/// The group of a file with these items of `health`.
GroupPlan group_with(const std::vector<std::string>& items) {
  std::string file =
      "apiVersion: patchbay/v1\nkind: Config\nresources:\n  - name: example.com/uart\n    match: "
      "{subsystem: tty}\n"
      "    by: $(property.SERIAL)\n"
      "    members: {sound: {match: {subsystem: sound}}}\n    health:\n";
  for (const std::string& item : items) file += "      - " + item + "\n";
  const Compiled compiled = compile_files({{"a.yaml", file}});
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan ? compiled.plan->resources.at(0)->groups.at(0) : GroupPlan{};
}

ProbePlan probe(const std::string& item) {
  const GroupPlan group = group_with({item});
  return group.health.empty() ? ProbePlan{} : group.health.front();
}

class ProbeTest : public testing::Test {
 protected:
  ProbeTest() {
    device.key = "/sys/devices/x/ttyUSB0";
    device.name = "ttyUSB0";
    device.devnode = "/dev/ttyUSB0";
    fake::set(device, Fact::property, "SERIAL", {"LAB42"});
  }

  [[nodiscard]] Result<ProbePlan::Rendered> render_all(const ProbePlan& plan) const {
    return plan.render({.device = {.facts = &device}, .id = "LAB42", .node = "bench-1"});
  }
  [[nodiscard]] Result<Check> render(const ProbePlan& plan) const {
    auto rendered = render_all(plan);
    if (!rendered) return std::unexpected(rendered.error());
    return std::move(rendered->check);
  }
  /// Why the item is refused for a device with this serial number; empty if it is accepted.
  std::string refusal(const std::string& item, const std::string& serial) {
    fake::set(device, Fact::property, "SERIAL", {serial});
    const auto check = render(probe(item));
    return check ? "" : check.error().message;
  }

  DeviceFacts device;
};

TEST_F(ProbeTest, RendersPathToOpen) {
  const auto read = render(probe("open: $(devnode)"));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Check{.kind = Check::Kind::open,
                          .path = "/dev/ttyUSB0",
                          .read = true,
                          .write = false,
                          .timeout = seconds(2)}));
  const auto write = render(probe("open: {path: /dev/lab/$(property.SERIAL), mode: w}"));
  ASSERT_TRUE(write);
  EXPECT_EQ(write->path, "/dev/lab/LAB42");
  EXPECT_FALSE(write->read);
  EXPECT_TRUE(write->write);
  const auto both = render(probe("open: {path: /dev/kfd, mode: rw}"));
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->read && both->write);
}

TEST_F(ProbeTest, RendersDeviceReads) {
  const auto attributes = render(probe("attribute: {net/*/carrier: '1', power/state: D0}"));
  ASSERT_TRUE(attributes);
  EXPECT_EQ(*attributes, (Check{.kind = Check::Kind::attributes,
                                .syspath = "/sys/devices/x/ttyUSB0",
                                .names = {"net/*/carrier", "power/state"},
                                .timeout = seconds(2)}));
  const auto properties = render(probe("property: {ID_BUS: usb}"));
  ASSERT_TRUE(properties);
  EXPECT_EQ(properties->kind, Check::Kind::properties);
  EXPECT_EQ(properties->syspath, "/sys/devices/x/ttyUSB0");
  EXPECT_THAT(properties->names, ElementsAre("ID_BUS"));
}

TEST_F(ProbeTest, RendersFilesProgramsAndAddresses) {
  const auto files = render(probe("file: {/run/$(name): up, /proc/devices: '*'}"));
  ASSERT_TRUE(files);
  EXPECT_EQ(files->kind, Check::Kind::files);
  EXPECT_THAT(files->names, ElementsAre("/run/ttyUSB0", "/proc/devices"));
  const auto exec = render(probe("exec: [/probes/uart.sh, --port=$(devnode), '', a b]"));
  ASSERT_TRUE(exec);
  EXPECT_EQ(exec->kind, Check::Kind::exec);
  EXPECT_THAT(exec->arguments, ElementsAre("/probes/uart.sh", "--port=/dev/ttyUSB0", "", "a b"));
  const auto tcp = render(probe("tcp: $(name):5025"));
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->kind, Check::Kind::tcp);
  EXPECT_EQ(tcp->host, "ttyUSB0");
  EXPECT_EQ(tcp->port, 5025);
  EXPECT_EQ(render(probe("tcp: '[2001:db8::7]:80'"))->host, "2001:db8::7");
}

TEST_F(ProbeTest, RejectsHostileValues) {
  const std::string exec = "exec: [/probes/uart.sh, $(property.SERIAL)]";
  EXPECT_EQ(refusal(exec, "LAB42"), "");
  EXPECT_EQ(refusal(exec, "a;b $(x) `y`"), "");  // No shell runs, so no character is special.
  EXPECT_THAT(refusal(exec, "-rf"), testing::HasSubstr("would read as an option"));
  EXPECT_THAT(refusal(exec, "a\nb"), testing::HasSubstr("control character"));
  EXPECT_EQ(refusal("exec: [/probes/uart.sh, --serial=$(property.SERIAL)]", "-rf"), "");
  // A text that can be empty before the value does not prevent an option.
  EXPECT_NE(refusal("exec: [/probes/uart.sh, '$(property.NONE:-)$(property.SERIAL)']", "-rf"), "");
  const std::string open = "open: /dev/lab/$(property.SERIAL)";
  EXPECT_EQ(refusal(open, "-rf"), "");
  EXPECT_THAT(refusal(open, "../mem"), testing::HasSubstr("cannot be a component of a path"));
  EXPECT_NE(refusal(open, ".."), "");
  EXPECT_NE(refusal("file: {/run/$(property.SERIAL)/state: up}", "a/b"), "");
  const std::string tcp = "tcp: $(property.SERIAL):5025";
  EXPECT_EQ(refusal(tcp, "scope1"), "");
  for (const char* serial : {"evil:80", "a/b", "a b", "[::1]:1", "fe80::1%eth0", "a\nb"}) {
    EXPECT_NE(refusal(tcp, serial), "") << serial;
  }
}

TEST_F(ProbeTest, RejectsDeviceWithoutRequiredValue) {
  device.devnode.clear();
  EXPECT_FALSE(render(probe("open: $(devnode)")));
  EXPECT_FALSE(render(probe("file: {/run/$(property.NONE): up}")));
}

TEST_F(ProbeTest, EvaluatesReadValues) {
  const ProbePlan plan = probe("attribute: {carrier: ['1', {exists: false}], state: {not: down}}");
  const auto [check, conditions] = *render_all(plan);
  const auto verdict = [&](const NamedValues& values) {
    CheckResult result;
    for (const auto& [name, value] : values) result.values[name] = {value};
    return judge(check, conditions, result);
  };
  EXPECT_EQ(verdict({{"carrier", "1"}, {"state", "up"}}).kind, Verdict::Kind::passed);
  EXPECT_EQ(verdict({{"state", "up"}}).kind, Verdict::Kind::passed);
  const Verdict failed = verdict({{"carrier", "0"}, {"state", "up"}});
  EXPECT_EQ(failed.kind, Verdict::Kind::failed);
  EXPECT_EQ(failed.reason, "carrier is \"0\"");
  EXPECT_EQ(verdict({{"carrier", "1"}}).reason, "state is absent");
  EXPECT_EQ(verdict({{"carrier", "1"}, {"state", "down"}}).reason, "state is \"down\"");
  EXPECT_EQ(verdict({{"carrier", "\x1b[2J"}}).reason, "carrier is \"\\x1b[2J\"");
}

TEST_F(ProbeTest, EvaluatesFilesByRenderedPath) {
  const ProbePlan plan = probe("file: {/run/$(name): up}");
  const auto [check, conditions] = *render_all(plan);
  EXPECT_EQ(judge(check, conditions, {.values = {{"/run/ttyUSB0", {"up"}}}}).kind,
            Verdict::Kind::passed);
  EXPECT_EQ(judge(check, conditions, {.values = {{"/run/$(name)", {"up"}}}}).reason,
            "/run/ttyUSB0 is absent");
}

TEST_F(ProbeTest, PassesIfOneOfSeveralValuesMatches) {
  const ProbePlan plan = probe("attribute: {net/*/carrier: ['1', {exists: false}]}");
  const auto [check, conditions] = *render_all(plan);
  const auto passes = [&](const std::vector<std::string>& values) {
    return judge(check, conditions, {.values = {{"net/*/carrier", values}}}).reason;
  };
  EXPECT_EQ(passes({"0", "1"}), "");
  EXPECT_EQ(passes({"0", "0"}), "net/*/carrier is \"0\" and \"0\"");
  EXPECT_EQ(judge(check, conditions, {}).kind, Verdict::Kind::passed);
}

TEST_F(ProbeTest, ComparesWithUnitValues) {
  const ProbePlan plan = probe("file: {/proc/1/mounts: {not: '*$(devnode) *'}}");
  const auto [check, conditions] = *render_all(plan);
  const auto reason = [&](const std::string& mounts) {
    return judge(check, conditions, {.values = {{"/proc/1/mounts", {mounts}}}}).reason;
  };
  EXPECT_EQ(reason("x\n/dev/ttyUSB1 / ext4"), "");
  EXPECT_NE(reason("x\n/dev/ttyUSB0 / ext4"), "");
  EXPECT_TRUE(plan.multiplicity.per_unit && plan.multiplicity.matched);
  DeviceFacts other = device;
  other.devnode = "/dev/ttyUSB1";
  const auto of_other = *plan.render({.device = {.facts = &other}});
  EXPECT_EQ(of_other.check, check);
  EXPECT_FALSE(of_other.conditions == conditions);
  // Values can be part of a pattern. A value that the unit lacks is an error.
  EXPECT_TRUE(render_all(probe("file: {/run/units: '*$(id) on $(node)*'}")));
  EXPECT_FALSE(render_all(probe("file: {/run/units: {not: '*$(usb.serial)*'}}")));
  const ProbePlan of_member = probe("file: {/run/units: '*$(sound.name)*'}");
  EXPECT_THAT(of_member.multiplicity.members, ElementsAre("sound"));
  WantedFacts wanted;
  probe("file: {/run/units: '*$(property.SERIAL)*'}").want(wanted, "");
  EXPECT_THAT(fake::names(wanted, Fact::property), ElementsAre("SERIAL"));
}

TEST_F(ProbeTest, DistinguishesFailureFromUnrunnableProbe) {
  const ProbePlan plan = probe("attribute: {carrier: {exists: false}}");
  const auto [check, conditions] = *render_all(plan);
  EXPECT_EQ(judge(check, conditions, {.kind = CheckResult::Kind::done}).kind,
            Verdict::Kind::passed);
  const Verdict failed =
      judge(check, conditions, {.kind = CheckResult::Kind::failed, .reason = "exit status 1"});
  EXPECT_EQ(failed.kind, Verdict::Kind::failed);
  EXPECT_EQ(failed.reason, "exit status 1");
  const Verdict cannot =
      judge(check, conditions, {.kind = CheckResult::Kind::cannot_run, .reason = "no permission"});
  EXPECT_EQ(cannot.kind, Verdict::Kind::cannot_run);
  EXPECT_EQ(cannot.reason, "no permission");
}

TEST_F(ProbeTest, HasDefaultsForAbsentOptions) {
  const ProbePlan plain = probe("tcp: a:1");
  EXPECT_EQ(plain.timing, (ProbeTiming{.period = seconds(10),
                                       .timeout = seconds(2),
                                       .failure_threshold = 3,
                                       .success_threshold = 1}));
  const ProbePlan own = probe("{tcp: 'a:1', timeout: 10ms, failureThreshold: 1000}");
  EXPECT_EQ(own.timing, (ProbeTiming{.period = seconds(10),
                                     .timeout = milliseconds(10),
                                     .failure_threshold = 1000,
                                     .success_threshold = 1}));
  EXPECT_EQ(render(own)->timeout, milliseconds(10));
}

TEST_F(ProbeTest, MultiplicityFollowsVariables) {
  EXPECT_FALSE(probe("tcp: scope1:5025").multiplicity.per_unit);
  EXPECT_TRUE(probe("exec: [/a, $(id)]").multiplicity.per_unit);
  EXPECT_FALSE(probe("exec: [/a, $(id)]").multiplicity.matched);
  EXPECT_TRUE(probe("open: $(devnode)").multiplicity.matched);
  EXPECT_TRUE(probe("attribute: {carrier: '1'}").multiplicity.matched);
  EXPECT_TRUE(probe("property: {ID_BUS: usb}").multiplicity.matched);
  EXPECT_FALSE(probe("file: {/proc/devices: a}").multiplicity.per_unit);
  EXPECT_TRUE(probe("file: {/run/$(name): a}").multiplicity.matched);
  EXPECT_THAT(probe("open: $(sound.devnode)").multiplicity.members, ElementsAre("sound"));
}

TEST_F(ProbeTest, RequestsFactsOfItsTexts) {
  const GroupPlan group = group_with({"exec: [/a, $(driver), $(sound.attribute.id)]",
                                      "file: {/run/$(iommuGroup): a}", "attribute: {state: up}"});
  const WantedFacts matched = group.wanted(0);
  EXPECT_TRUE(matched.wants(Fact::driver));
  EXPECT_TRUE(matched.wants(Fact::iommu_group));
  EXPECT_THAT(fake::names(matched, Fact::attribute),
              testing::IsEmpty());  // The file is read when the probe runs, not before.
  EXPECT_THAT(fake::names(group.wanted(1), Fact::attribute), ElementsAre("id"));
  EXPECT_FALSE(group.wanted(1).wants(Fact::driver));
}

TEST_F(ProbeTest, PrintsAsConfigured) {
  EXPECT_EQ(probe("open: $(devnode)").to_text(), "open: $(devnode)");
  EXPECT_EQ(probe("tcp: $(name):5025").to_text(), "tcp: $(name):5025");
  EXPECT_EQ(probe("exec: [/a, $(id), b]").to_text(), "exec: [/a, $(id), b]");
  EXPECT_EQ(probe("file: {/run/$(name): up}").to_text(), "file: {/run/$(name): \"up\"}");
}

/// The diagnostics of a program in `health`, and of the same program in `preStart`.
std::pair<std::string, std::string> printed_for(const std::string& program) {
  const std::string begin = "    match: {subsystem: tty}\n    ";
  return {compile_group(begin + "health: [{exec: [" + program + "]}]\n").printed,
          compile_group(begin + "preStart: [{exec: [" + program + "]}]\n").printed};
}

TEST(ShellScript, ContainsNoValueOfDevice) {
  EXPECT_EQ(printed_for("/bin/sh, -c, 'echo $(name)'").first,
            "lab.yaml:6:41: error: the script of 'sh' contains $(name): the shell would run the "
            "value as a command\n"
            "        health: [{exec: [/bin/sh, -c, 'echo $(name)']}]\n"
            "                                            ^\n"
            "  hint: write it as an argument after the script: [/bin/sh, -c, 'cat \"$$1\"', sh, "
            "$(name)]\n");
}

class RejectedProgram : public testing::TestWithParam<std::string> {};

TEST_P(RejectedProgram, WouldRunValueAsCommand) {
  const auto [probe, step] = printed_for(GetParam());
  EXPECT_NE(probe.find("the shell would run the value"), std::string::npos) << probe;
  EXPECT_NE(step.find("the shell would run the value"), std::string::npos) << step;
}

INSTANTIATE_TEST_SUITE_P(
    Programs, RejectedProgram,
    testing::Values("/bin/bash, -ec, 'x $(property.A)'", "/bin/dash, -e, -c, $(name)",
                    "/bin/ash, -c, --, '$(name)'", "/bin/ksh, -c, '-', '$(name)'",
                    "/bin/zsh, +c, '$(name)'", "/bin/bash, -o, pipefail, -c, 'x $(name)'",
                    "/bin/bash, -co, pipefail, 'x $(name)'",
                    "/bin/bash, -c, -o, pipefail, 'x $(name)'",
                    "/bin/bash, --rcfile, /x, -c, 'x $(name)'", "/bin/bash, --norc, -c, '$(name)'",
                    "/bin/zsh, -copipefail, 'x $(name)'", "/bin/sh, '-$(name)', '$(devnode)'",
                    "/bin/sh, $(name), $(property.B)", "/bin/sh, '/probes/$(driver).sh'",
                    "/bin/busybox, sh, -c, '$(name)'", "/usr/bin/env, bash, -c, '$(name)'",
                    "/usr/bin/nsenter, -t, '1', -m, --, /bin/sh, -c, '$(name)'",
                    "/bin/sh, -c, 'x $(resource)'", "/bin/sh, -c, 'x $(node:-$(name))'"));

class AcceptedProgram : public testing::TestWithParam<std::string> {};

TEST_P(AcceptedProgram, GetsValueAsArgument) {
  EXPECT_EQ(printed_for(GetParam()), std::pair(std::string(), std::string()));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, AcceptedProgram,
    testing::Values("/bin/sh, -c, 'cat \"$$1\"', sh, $(devnode)", "/bin/sh, -c, 'cat $$0', $(name)",
                    "/bin/sh, -c, 'echo $(node)'", "/bin/sh, -e, /probes/a.sh, $(devnode)",
                    "/bin/sh, /probes/a.sh, -c, $(devnode)",
                    "/bin/bash, -o, pipefail, -c, x, bash, $(name)",
                    "/usr/bin/env, sh, /probes/a.sh, $(name)", "/bin/busybox, cat, $(devnode)",
                    "/probes/push, -c, $(name)", "/probes/run, --shell=bash, -c, $(name)"));

}  // namespace
}  // namespace patchbay::rules
