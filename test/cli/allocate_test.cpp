// Tests the output of `allocate` on a host that is a directory of files.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

constexpr const char* kAllocateConfig = R"yaml(apiVersion: patchbay/v1
kind: Config
defaults: {domain: example.com}
resources:
  - name: line
    match: {glob: /dev/bench/line*}
    envs: {LINES: $(name), "LINE_$(slot)": $(path)}
    mounts:
      - {hostPath: $(path), containerPath: /lines/$(slot), readOnly: false}
      - {hostPath: /opt/vendor}
    devices: [{hostPath: /dev/null, permissions: r}]
    annotations: {example.com/bench: $(node)}
  - name: part
    match: {glob: /dev/bench/gpu*}
    share: {count: 3}
    envs: {PARTS: $(id)/$(share)}
  - name: other.io/part
    match: {glob: /dev/none}
  - name: late
    match: {glob: "/dev/bench/[l]ine1"}
  - name: bare
    match: {glob: /srv/*}
  - name: amd
    when: {glob: /dev/kfd}
    match: {glob: "/srv/?*"}
)yaml";

class AllocateTest : public CliTest {
 protected:
  AllocateTest() {
    for (const std::string path : {"/dev/bench/line1", "/dev/bench/line2", "/dev/bench/line10",
                                   "/dev/bench/gpu0", "/srv/caf\xc3\xa9\xe2\x80\xae"}) {
      dir_.write("host" + path, "");
    }
    // Creates files that the units need.
    dir_.write("host/opt/vendor/file", "");
    ::mknod((dir_ / "host/dev/null").c_str(), S_IFCHR | 0600, makedev(1, 3));
  }

  [[nodiscard]] Words arguments(const Words& what, const Words& more = {}) const {
    Words out{"allocate"};
    out.insert(out.end(), what.begin(), what.end());
    out.insert(out.end(), {"--config", config_, "--host-root", dir_ / "host"});
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  [[nodiscard]] std::string allocated(const Words& what, const Words& more = {}) const {
    return output_of(arguments(what, more));
  }
  /// The message of an allocation, which must fail.
  [[nodiscard]] std::string refused(const Words& what) const {
    const auto end = run(arguments(what));
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_EQ(end.out, "");
    return end.err;
  }

  std::string config_ = dir_.write("config.yaml", kAllocateConfig);
};

TEST_F(AllocateTest, TakesConfigurationAsLastArgument) {
  const std::string root = dir_ / "host";
  EXPECT_EQ(output_of({"allocate", "line", "line2", "line10", config_, "--host-root", root}),
            allocated({"line", "line2", "line10"}));
  EXPECT_EQ(
      text_of(fake::run_process(patchbay({"allocate", "line", "line2", "-", "--host-root", root},
                                         redirected("<" + config_)),
                                with_node({}))),
      allocated({"line", "line2"}));
}

TEST_F(AllocateTest, ConfigOptionTakesOnePath) {
  EXPECT_EQ(output_of({"allocate", "-c", config_, "--host-root", dir_ / "host", "line", "line2",
                       "line10"}),
            allocated({"line", "line2", "line10"}));
  EXPECT_EQ(output_of({"allocate", "--host-root", dir_ / "host", "-c", config_, "line", "line2",
                       "line10"}),
            allocated({"line", "line2", "line10"}));
}

TEST_F(AllocateTest, PrintsTable) {
  expect_golden("allocate.txt", allocated({"line", "line10", "line2"}));
  EXPECT_EQ(allocated({"example.com/part", "gpu0::2", "gpu0::0"}),
            "exit 0\n--- out\nENV    VALUE\nPARTS  gpu0/0,gpu0/2\n--- err\n");
}

TEST_F(AllocateTest, PrintsAnswerOfDaemonAsJson) {
  const auto end = run(arguments({"example.com/line", "line10", "line2"}, {"-o", "json"}));
  EXPECT_EQ(end.exit_code, 0) << end.err;
  Environment environment = with_node({});
  environment["TMPDIR"] = dir_.path();
  fake::Process daemon(
      patchbay({"run", "--standalone", "--config", config_, "--host-root", dir_ / "host"}),
      environment);
  const std::string build = std::filesystem::path(fake::patchbay_binary()).parent_path();
  EXPECT_EQ(fake::run_process({build + "/../test/fake/plugin_call", dir_.path(), "allocate",
                               "example.com/line", "line10", "line2"})
                .out,
            end.out);
}

TEST_F(AllocateTest, PrintsEmptyAllocation) {
  EXPECT_EQ(allocated({"bare", "caf__"}),
            "exit 0\n--- out\nnothing: these units add nothing to the container\n--- err\n");
}

/// A configuration with the four units of the bench. Ends before the value of `prefer`.
constexpr const char* kPreferConfig =
    "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
    "  - name: a.io/part\n"
    "    match: {glob: /dev/bench/*}\n"
    "    share: {count: 2}\n"
    "    prefer: ";

TEST_F(AllocateTest, PrintsPreferredUnits) {
  dir_.write("config.yaml", kPreferConfig + std::string("spread\n"));
  EXPECT_EQ(allocated({"part", "--prefer", "2"}), "exit 0\n--- out\ngpu0::0 line1::0\n--- err\n");
  EXPECT_EQ(allocated({"part", "--prefer", "2", "line10::1"}),
            "exit 0\n--- out\ngpu0::0 line10::1\n--- err\n");
  dir_.write("config.yaml", kPreferConfig + std::string("packed\n"));
  EXPECT_EQ(allocated({"part", "--prefer", "2"}), "exit 0\n--- out\ngpu0::0 gpu0::1\n--- err\n");
  EXPECT_EQ(allocated({"part", "--prefer", "2", "line10::1"}, {"-o", "json"}),
            "exit 0\n--- out\n[\n  \"line10::0\",\n  \"line10::1\"\n]\n--- err\n");
}

TEST_F(AllocateTest, ReportsImpossiblePreference) {
  dir_.write("config.yaml", kPreferConfig + std::string("packed\n"));
  EXPECT_EQ(refused({"part", "--prefer", "9"}),
            "patchbay: a.io/part has 8 healthy units, fewer than 9\n");
  EXPECT_EQ(refused({"part", "--prefer", "1", "gpu0::0", "gpu0::1"}),
            "patchbay: 2 units named, but --prefer is 1\n");
  EXPECT_EQ(refused({"part", "--prefer", "1", "gpu0::2"}),
            "patchbay: a.io/part has no unit 'gpu0::2'; did you mean 'gpu0::0'?\n");
  dir_.write("config.yaml", kAllocateConfig);
  EXPECT_EQ(refused({"bare", "--prefer", "1"}),
            "patchbay: example.com/bare has no preference: the kubelet takes any units\n");
}

/// A configuration of a resource with these steps.
std::string with_steps(const std::string& steps) {
  return "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
         "  - name: a.io/line\n"
         "    match: {glob: /dev/bench/line*}\n"
         "    share: {count: 2}\n"
         "    envs: {LINES: $(name)}\n"
         "    preStart:\n" +
         steps;
}

TEST_F(AllocateTest, StartRunsStepsOfEachUnitOnce) {
  dir_.write("config.yaml", with_steps("      - exec: [/bin/sh, -c, 'echo \"$$1\" >>" +
                                       (dir_ / "begun") + "', sh, $(id)]\n"));
  EXPECT_EQ(allocated({"line", "line1::0", "line2::0", "line1::1", "--start"}),
            "exit 0\n--- out\nENV    VALUE\nLINES  line1,line2\n--- err\n");
  EXPECT_EQ(fake::read_text(dir_ / "begun"), "line1\nline2\n");
}

TEST_F(AllocateTest, FailedStartNamesStepAndReason) {
  dir_.write("config.yaml", with_steps("      - exec: [/bin/true]\n"
                                       "      - exec: [/bin/sh, -c, \"echo no earth; exit 3\"]\n"
                                       "      - exec: [/bin/touch, " +
                                       (dir_ / "begun") + "]\n"));
  EXPECT_EQ(refused({"line", "line1::0", "--start"}),
            "patchbay: unit 'line1': step 2, exec /bin/sh: no earth\n");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "begun"));
  dir_.write("config.yaml", kAllocateConfig);
  EXPECT_EQ(refused({"line", "line1", "--start"}), "patchbay: example.com/line has no preStart\n");
}

TEST_F(AllocateTest, SigtermStopsPreStartSteps) {
  dir_.write("config.yaml", with_steps("      - exec: [/bin/touch, " + (dir_ / "begun") +
                                       "]\n      - wait: {path: /never, for: 25s}\n"));
  fake::Process process(patchbay(arguments({"line", "line1::0", "--start"})), with_node({}));
  ASSERT_TRUE(fake::wait_until([this] { return std::filesystem::exists(dir_ / "begun"); }));
  process.send_signal(SIGTERM);
  EXPECT_EQ(text_of(process.wait()),
            "exit 2\n--- out\n--- err\npatchbay: unit 'line1': stopped by SIGTERM\n");
}

TEST_F(AllocateTest, StartRejectsPreferAndRecordedMachine) {
  const std::string hint = "Try 'patchbay allocate --help'.\n";
  for (const Words& other : {Words{"--prefer", "1"}, Words{"--machine", config_}}) {
    Words what{"line", "line1", "--start"};
    what.insert(what.end(), other.begin(), other.end());
    EXPECT_EQ(refused(what),
              "patchbay: --start runs steps on this machine: give it without --prefer and "
              "--machine\n" +
                  hint);
  }
}

TEST_F(AllocateTest, ReportsUnknownResource) {
  EXPECT_EQ(refused({"lin", "line1"}),
            "patchbay: there is no resource 'lin'; did you mean 'line'?\n");
  EXPECT_EQ(
      refused({"example.com/lime", "line1"}),
      "patchbay: there is no resource 'example.com/lime'; did you mean 'example.com/line'?\n");
  EXPECT_EQ(refused({"x\x1b", "line1"}), "patchbay: there is no resource 'x\\x1b'\n");
  EXPECT_EQ(refused({"amd", "x"}),
            "patchbay: example.com/amd is excluded on this node: /dev/kfd finds nothing\n");
}

TEST_F(AllocateTest, RejectsAmbiguousShortName) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - {name: a.io/gpu, match: {glob: /dev/a}}\n"
             "  - {name: b.io/gpu, match: {glob: /dev/b}}\n");
  EXPECT_EQ(refused({"gpu", "a"}),
            "patchbay: 'gpu' is ambiguous (a.io/gpu or b.io/gpu): give the whole name\n");
}

TEST_F(AllocateTest, ReportsUnknownUnits) {
  EXPECT_EQ(refused({"line", "line2", "line22"}),
            "patchbay: example.com/line has no unit 'line22'; did you mean 'line2'?\n");
  EXPECT_EQ(refused({"line", "\x1b[2J"}),
            "patchbay: example.com/line has no unit '\\x1b[2J'; it has line1, line2, line10\n");
  EXPECT_EQ(refused({"line", "/dev/bench/line10"}),
            "patchbay: example.com/line has no unit '/dev/bench/line10'; the unit with that device "
            "is 'line10'\n");
  EXPECT_EQ(refused({"other.io/part", "gpu0"}),
            "patchbay: other.io/part has no unit 'gpu0'; it has none\n");
  EXPECT_EQ(refused({"late", "line1"}),
            "patchbay: unit 'line1' of example.com/late is not offered: "
            "claimed by example.com/line\n");
  EXPECT_EQ(refused({"example.com/part", "gpu0"}),
            "patchbay: unit 'gpu0' of example.com/part is shared: "
            "name one of 'gpu0::0' … 'gpu0::2'\n");
  EXPECT_EQ(refused({"example.com/part", "gpu0::3"}),
            "patchbay: example.com/part has no unit 'gpu0::3'; did you mean 'gpu0::0'?\n");
}

TEST_F(AllocateTest, ErrorListsOnlyFirstUnits) {
  for (int i = 11; i < 20; ++i) dir_.write("host/dev/bench/line" + std::to_string(i), "");
  EXPECT_EQ(refused({"line", "x"}),
            "patchbay: example.com/line has no unit 'x'; it has line1, line2, line10, line11, "
            "line12 and 7 more\n");
}

TEST_F(AllocateTest, RejectsUnhealthyUnit) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - name: a.io/line\n"
             "    match: {glob: /dev/bench/line*}\n"
             "    health: [{file: {\"/etc/$(name)\": ok}, failureThreshold: 5}]\n");
  dir_.write("host/etc/line1", "ok\n");
  EXPECT_EQ(allocated({"line", "line1"}),
            "exit 0\n--- out\nnothing: these units add nothing to the container\n--- err\n");
  EXPECT_EQ(refused({"line", "line1", "line2"}),
            "patchbay: unit 'line2' of a.io/line is unhealthy: /etc/line2 is absent\n");
}

TEST_F(AllocateTest, ReportsAllocateErrors) {
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - name: a.io/line\n"
             "    match: {glob: /dev/bench/line*}\n"
             "    mounts: [{hostPath: $(path), containerPath: /line}]\n");
  EXPECT_NE(refused({"line", "line1", "line2"}).find("two entries at the container path /line"),
            std::string::npos);
}

TEST_F(AllocateTest, ReportsConfigurationErrorsLikeValidate) {
  dir_.write("config.yaml", "apiVersion: patchbay/v1\nkund: Config\n");
  const auto end = run(arguments({"line", "line1"}));
  EXPECT_EQ(text_of(end), output_of({"validate", config_}));
  EXPECT_EQ(end.exit_code, 1);
}

TEST_F(AllocateTest, RequiresResourceAndUnits) {
  const std::string hint = "Try 'patchbay allocate --help'.\n";
  EXPECT_EQ(refused({}), "patchbay: RESOURCE is required\n" + hint);
  EXPECT_EQ(refused({"line"}), "patchbay: ID is required\n" + hint);
}

}  // namespace
}  // namespace patchbay::cli
