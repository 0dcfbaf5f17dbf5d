// Tests the output of `explain` for devices and paths of the host.
#include <algorithm>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

constexpr const char* kExplainConfig = R"yaml(apiVersion: patchbay/v1
kind: Config
defaults: {domain: example.com}
resources:
  - name: line
    match: {glob: /dev/bench/line*, type: file}
  - name: late
    match: {glob: /dev/bench/*, name: "*1"}
  - name: mixed
    groups:
      - when: {node: "other-*"}
        match: {glob: /dev/bench/*}
      - match:
          glob: /dev/bench/*
          type: [char, block]
          any: [{name: a*}, {name: b*, file: {/etc/model: R750}}]
          except: {name: "line?"}
  - name: pair
    match: {glob: /dev/bench/a*, name: {regex: 'a(?P<n>.*)'}}
    by: $(capture.n)
    members:
      other: {match: {glob: /dev/bench/b*, name: {regex: 'b(?P<n>.*)'}}}
  - name: bad
    match: {glob: /srv/*}
    mounts: [{hostPath: /data/$(name)}]
  - name: scope
    match: {static: [scope-1]}
  - name: amd
    when: {glob: [/dev/kfd, /dev/accel]}
    match: {glob: /dev/dri/*}
)yaml";

class ExplainTest : public CliTest {
 protected:
  ExplainTest() {
    for (const std::string name : {"line1", "line2", "a7", "b7", "a8", "b9"}) {
      dir_.write("host/dev/bench/" + name, "");
    }
    dir_.write("host/srv/x\x1b\n", "");
    dir_.write("host/etc/model", "R640\n");
    std::filesystem::create_symlink("bench/line2", dir_ / "host/dev/link");
  }

  [[nodiscard]] Words arguments(const std::string& device, const Words& more = {}) const {
    Words out{"explain", device, "--config", config_, "--host-root", dir_ / "host"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  [[nodiscard]] std::string explained(const std::string& device, const Words& more = {}) const {
    return output_of(arguments(device, more));
  }
  /// The part of the output about one resource.
  [[nodiscard]] std::string about(const std::string& resource, const std::string& device) const {
    const std::string text = run(arguments(device)).out;
    const size_t begin = text.find("\nexample.com/" + resource);
    if (begin == std::string::npos) return "nothing in " + text;
    const size_t line = text.find('\n', begin + 1) + 1;
    const size_t end = std::min(text.find("\n\n", line), text.size() - 1);
    return text.substr(line, end - line);
  }

  std::string config_ = dir_.write("config.yaml", kExplainConfig);
};

TEST_F(ExplainTest, ExplainsEachRuleAndExcludedResources) {
  expect_golden("explain.txt", explained("/dev/bench/line1"));
  expect_golden("explain.json.txt", explained("/dev/bench/line1", {"-o", "json"}));
}

TEST_F(ExplainTest, AcceptsConfigurationBeforeOrAfterDevice) {
  const std::string expected = explained("/dev/bench/line1");
  const std::string root = dir_ / "host";
  EXPECT_EQ(output_of({"explain", "/dev/bench/line1", config_, "--host-root", root}), expected);
  EXPECT_EQ(output_of({"explain", "--host-root", root, "-c", config_, "--", "/dev/bench/line1"}),
            expected);
  EXPECT_EQ(output_of({"explain", "-c", config_, "--host-root", root, "/dev/bench/line1"}),
            expected);
}

TEST_F(ExplainTest, FollowsLinks) {
  EXPECT_EQ(about("line", "/dev/link"), "  unit line2, healthy\n  its id is made of: name");
}

TEST_F(ExplainTest, UnitIdSelectsAllItsDevices) {
  const std::string text = explained("7");
  EXPECT_NE(text.find("/dev/bench/a7  path"), std::string::npos) << text;
  EXPECT_NE(text.find("  unit 7, healthy\n  its id is rendered from the group's by\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("/dev/bench/b7  path"), std::string::npos) << text;
  EXPECT_NE(text.find("  other of unit 7, healthy\n"), std::string::npos) << text;
}

TEST_F(ExplainTest, ExplainsRefusedUnit) {
  EXPECT_EQ(about("pair", "/dev/bench/a8"), "  incomplete: needs 1 'other', has none");
  EXPECT_EQ(
      about("pair, member other", "/dev/bench/b9"),
      "  joins no unit: $(capture.n) is \"9\", but no device of the group has the same value");
  EXPECT_EQ(about("bad", "/srv/x\x1b\n").substr(0, 11), "  refused: ");
}

TEST_F(ExplainTest, ShowsStateOfUnit) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - name: example.com/line\n"
             "    match: {glob: /dev/bench/line*}\n"
             "    id: $(name)\n"
             "    health: [{file: {\"/etc/$(name)\": ok}}]\n");
  dir_.write("host/etc/line1", "ok\n");
  EXPECT_EQ(about("line", "/dev/bench/line1"),
            "  unit line1, healthy\n  its id is rendered from the group's id");
  EXPECT_EQ(
      about("line", "line2"),
      "  unit line2, unhealthy: /etc/line2 is absent\n  its id is rendered from the group's id");
  const std::string json = explained("line2", {"-o", "json"});
  EXPECT_NE(json.find("\"healthy\": false,\n          \"reason\": \"/etc/line2 is absent\","),
            std::string::npos)
      << json;
}

TEST_F(ExplainTest, ExplainsStaticNames) {
  EXPECT_EQ(about("scope", "static:scope-1"), "  unit scope-1, healthy\n  its id is made of: name");
}

TEST_F(ExplainTest, EscapesHostStrings) {
  const std::string text = explained("/srv/x\x1b\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("/srv/x\\x1b\\x0a  path"), std::string::npos) << text;
}

TEST_F(ExplainTest, DeviceNodeSelectsKernelDevice) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - {name: a.io/null, match: {subsystem: mem, name: \"null\"}}\n"
             "  - {name: a.io/path, match: {glob: /dev/null}}\n"
             "  - {name: a.io/full, match: {subsystem: mem, name: full, attribute: {dev: x}}}\n"
             "  - {name: a.io/net, match: {subsystem: net}}\n");
  EXPECT_EQ(output_of({"explain", "/dev/null", "-c", config_}),
            "exit 0\n--- out\n"
            "DEVICE                         KIND           SUBSYSTEM  NODE\n"
            "/sys/devices/virtual/mem/null  kernel device  mem        /dev/null\n"
            "/dev/null                      path\n"
            "\n"
            "a.io/null (DIR/config.yaml:4:30)\n"
            "  unit null, healthy\n"
            "  its id is the kernel's name, which depends on the order of detection: give the "
            "group an id\n"
            "\n"
            "a.io/path (DIR/config.yaml:5:30)\n"
            "  the same device node as /sys/devices/virtual/mem/null, claimed by a.io/null\n"
            "\n"
            "a.io/full (DIR/config.yaml:6:30)\n"
            "  does not match:\n"
            "    DIR/config.yaml:6:53: name: \"full\" -- name is \"null\"\n"
            "    DIR/config.yaml:6:76: attribute: {dev: \"x\"} -- attribute.dev is \"1:3\"\n"
            "\n"
            "rules for other kinds of devices:\n"
            "  a.io/net (DIR/config.yaml:7:29): subsystem: \"net\" -- subsystem is \"mem\"\n"
            "--- err\n");
}

TEST_F(ExplainTest, RejectsUnknownDevices) {
  const auto refused = [&](const std::string& device) {
    const auto end = run(arguments(device));
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_EQ(end.out, "");
    return end.err;
  };
  EXPECT_EQ(refused("/dev/bench/none"),
            "patchbay: DIR/host/dev/bench/none: No such file or directory; name a device node, a "
            "path below /sys, another path, or static:NAME\n");
  EXPECT_EQ(refused("lin1"),
            "patchbay: 'lin1' is not a unit id or kernel device name (did you mean 'line1'?); "
            "name a device node, a path, static:NAME, a unit id or a kernel device name\n");
  EXPECT_EQ(refused("abc\x1b").find("patchbay: 'abc\\x1b' is not a unit id or kernel"), 0U);
}

TEST_F(ExplainTest, KernelNameSelectsDevice) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - {name: a.io/mem, match: {subsystem: mem, name: zero}, id: unit-$(name)}\n");
  const auto end = run({"explain", "zero", "--config", config_});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_NE(end.out.find("/sys/devices/virtual/mem/zero  kernel device"), std::string::npos)
      << end.out;
  EXPECT_NE(end.out.find("unit unit-zero, healthy"), std::string::npos) << end.out;
}

TEST_F(ExplainTest, ReportsConfigurationErrorsLikeValidate) {
  dir_.write("config.yaml", "apiVersion: patchbay/v1\nkund: Config\n");
  const auto end = run(arguments("/dev/null"));
  EXPECT_EQ(text_of(end), output_of({"validate", config_}));
  EXPECT_EQ(end.exit_code, 1);
}

}  // namespace
}  // namespace patchbay::cli
