// Tests the output of `discover` for a host that is a directory of files.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "fake/hanging_mount.h"

namespace patchbay::cli {
namespace {

/// For a host that is a directory of files.
class DiscoverTest : public CliTest {
 protected:
  [[nodiscard]] std::string config(const std::string& resources) const {
    return dir_.write("config.yaml",
                      "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: example.com}\n"
                      "resources:\n" +
                          resources);
  }
  /// A resource for files of the host.
  static std::string files(const std::string& name, const std::string& glob,
                           const std::string& more = "") {
    return "  - name: " + name + "\n    match: {glob: \"" + glob +
           "\", type: file}\n    id: $(name)\n    envs: {NAMES: $(name)}\n" + more;
  }
  void plug(const std::string& path) const { dir_.write("host" + path, ""); }

  [[nodiscard]] std::string discovered(const std::string& config, const Words& more = {}) const {
    Words arguments{"discover", "--config", config, "--host-root", dir_ / "host"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return output_of(arguments);
  }
};

TEST_F(DiscoverTest, ShowsUnitsRefusalsAndEmptyResources) {
  const std::string path =
      config(files("line", "/dev/bench/*", "    description: lines of the bench\n") +
             files("late", "/dev/bench/[l]ine2") + files("none", "/dev/none/*") +
             files("mount", "/srv/*", "    mounts: [{hostPath: /data/$(name)}]\n"));
  for (const std::string file : {"/dev/bench/line10", "/dev/bench/line2", "/srv/a", "/srv/b\n"}) {
    plug(file);
  }
  expect_golden("discover.txt", discovered(path));
  expect_golden("discover.json.txt", discovered(path, {"-o", "json"}));
}

TEST_F(DiscoverTest, ShowsMembersSharesAndNodes) {
  const std::string path = config(R"yaml(  - name: pair
    match: {glob: /dev/bench/a*, name: {regex: 'a(?P<n>.*)'}}
    by: $(capture.n)
    members:
      other: {match: {glob: /dev/bench/b*, name: {regex: 'b(?P<n>.*)'}}}
    devices: []
  - name: shared
    claim: shared
    match: {glob: /dev/bench/a7}
    share: {count: 3}
    devices: []
  - name: same
    match: {glob: /dev/bench/s*}
    id: same
  - name: here
    groups:
      - {when: {node: other}, match: {glob: /dev/none}}
      - {match: {glob: /dev/none}}
  - name: elsewhere
    when: {glob: [/dev/kfd, /dev/dri]}
    match: {glob: "/dev/non[e]"}
)yaml");
  for (const std::string file : {"a7", "b7", "a8", "b9", "s1", "s2"}) plug("/dev/bench/" + file);
  expect_golden("discover-kinds.txt", discovered(path));
  expect_golden("discover-kinds.json.txt", discovered(path, {"-o", "json"}));
}

TEST_F(DiscoverTest, ShowsNearMissWhereNoDeviceMatches) {
  plug("/dev/bench/a7");
  const std::string path = config(R"yaml(
  - {name: near, match: {glob: "/dev/bench/*", type: dir}}
  - {name: gone, match: {glob: "/dev/serial/by-id/*"}}
  - name: two
    groups:
      - match: {static: pps, file: {/etc/pps: {exists: true}}}
      - match: {glob: ["/dev/x*", "/dev/y*"]}
)yaml");
  expect_golden("discover-nothing.txt", discovered(path));
  expect_golden("discover-nothing.json.txt", discovered(path, {"-o", "json"}));
}

TEST_F(DiscoverTest, WideShowsSysfsPaths) {
  const std::string path = config("  - {name: mem, match: {subsystem: mem, name: nul}}\n");
  EXPECT_THAT(output_of({"discover", "-c", path}), testing::HasSubstr("; the nearest is /dev/"));
  EXPECT_THAT(output_of({"discover", "-c", path, "-o", "wide"}),
              testing::HasSubstr("; the nearest is /sys/devices/virtual/mem/"));
}

TEST_F(DiscoverTest, SuggestsSimilarSubsystem) {
  const std::string path = config("  - {name: typo, match: {subsystem: memm, name: \"null\"}}\n");
  EXPECT_EQ(output_of({"discover", "-c", path}),
            "exit 0\n--- out\n"
            "RESOURCE          UNIT  STATE  DEVICE  ID FROM  REASON\n"
            "example.com/typo  -     no device matches\n"
            "\n"
            "no device matches example.com/typo (DIR/config.yaml:5:25)\n"
            "  checked no device of the subsystem \"memm\": this node has no subsystem 'memm'; did "
            "you mean 'mem'?\n--- err\n");
}

TEST_F(DiscoverTest, WarnsAboutIdsFromKernelNames) {
  const std::string path =
      config("  - {name: mem, match: {subsystem: mem, name: [\"null\", zero]}}\n");
  EXPECT_EQ(output_of({"discover", "-c", path}),
            "exit 0\n--- out\n"
            "RESOURCE         UNIT  STATE    DEVICE     ID FROM      REASON\n"
            "example.com/mem  null  healthy  /dev/null  kernel name\n"
            "example.com/mem  zero  healthy  /dev/zero  kernel name\n"
            "\n"
            "warning: example.com/mem: 2 units have ids from the kernel's name, which depends on "
            "the order of detection: give the group an id\n--- err\n");
}

TEST_F(DiscoverTest, RunsEachProbeOnce) {
  const std::string path =
      config(files("up", "/dev/*",
                   "    health: [{file: {\"/state/$(name)\": up}, period: 24h}]\n"
                   "    mounts: [{hostPath: /data/$(name)}]\n") +
             files("late", "/srv/*", "    health: [{exec: [/bin/false]}]\n") +
             files("never", "/opt/*", "    health: [{exec: [/no/such/program]}]\n"));
  for (const std::string file : {"/dev/a", "/dev/b", "/dev/c", "/srv/d", "/opt/e"}) plug(file);
  for (const std::string file : {"/data/a", "/data/b"}) plug(file);
  for (const std::string name : {"a", "c"}) dir_.write("host/state/" + name, "up");
  dir_.write("host/state/b", "down");
  const auto end = run({"discover", "-c", path, "--host-root", dir_ / "host"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.out,
            "RESOURCE           UNIT  STATE      DEVICE  ID FROM  REASON\n"
            "example.com/up     a     healthy    /dev/a  id\n"
            "example.com/up     b     unhealthy  /dev/b  id       /state/b is \"down\"\n"
            "example.com/up     c     unhealthy  /dev/c  id       /data/c does not exist\n"
            "example.com/late   d     unhealthy  /srv/d  id       exit code 1\n"
            "example.com/never  e     unhealthy  /opt/e  id       cannot be run: "
            "/no/such/program: No such file or directory\n");
  EXPECT_NE(end.err.find("probe cannot run"), std::string::npos) << end.err;
}

TEST_F(DiscoverTest, EscapesHostileNames) {
  const std::string path = config(files("line", "/dev/*"));
  for (const std::string name :
       {"\x1b[2J", "a\nb", "bad\xff\xfeutf8", "tab\tbed", "\x7f\x01", "quote\"\\", "caf\xc3\xa9",
        "c1-\xc2\x9b-as-utf8", "\xe2\x80\xaeturned"}) {
    plug("/dev/" + name);
  }
  plug("/dev/long" + std::string(100, 'g'));
  expect_golden("discover-hostile.txt", discovered(path));
  expect_golden("discover-hostile.json.txt", discovered(path, {"-o", "json"}));
}

TEST_F(DiscoverTest, ReportsConfigurationErrorsLikeValidate) {
  const std::string path = config("  - {name: a, match: {subsystem: net}, idd: $(name)}\n");
  const auto end = run({"discover", "-c", path});
  EXPECT_EQ(text_of(end), output_of({"validate", path}));
  EXPECT_EQ(end.exit_code, 1);
}

TEST_F(DiscoverTest, ShowsKernelDeviceWithoutNumaNode) {
  const std::string path =
      config("  - {name: \"null\", match: {subsystem: mem, name: \"null\"}, id: $(name)}\n");
  EXPECT_EQ(output_of({"discover", "-c", path}),
            "exit 0\n--- out\n"
            "RESOURCE          UNIT  STATE    DEVICE     ID FROM  REASON\n"
            "example.com/null  null  healthy  /dev/null  id\n--- err\n");
}

TEST_F(DiscoverTest, ShowsUnresponsivePathAsPending) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  plug("/dev/bench/a");
  std::filesystem::create_directories(dir_ / "host/mnt");
  std::filesystem::create_directories(dir_ / "host/srv");
  const fake::HangingMount mnt{fake::HangingMount::Over{dir_ / "host/mnt"}};
  const fake::HangingMount srv{fake::HangingMount::Over{dir_ / "host/srv"}};
  const std::string path =
      config(files("line", "/dev/bench/*") + files("nfs", "/mnt/*") +
             files("when", "/dev/bench/?*", "    when: {file: {/srv/node: x}}\n"));
  // Disables the leak check at the end, which would wait for the hung path.
  const Environment environment{{"ASAN_OPTIONS", "detect_leaks=0"}};
  const Words arguments{"discover", "--config", path, "--host-root", dir_ / "host"};
  expect_golden("discover-pending.txt", output_of(arguments, environment));
  Words json = arguments;
  json.insert(json.end(), {"-o", "json"});
  expect_golden("discover-pending.json.txt", output_of(json, environment));
  Words explain = arguments;
  explain[0] = "explain";
  explain.emplace_back("/mnt/a");
  expect_golden("explain-pending.txt", output_of(explain, environment));
  explain.back() = "/dev/bench/a";
  EXPECT_EQ(run(explain, environment).exit_code, 0) << "it answers, whatever else does not";
}

}  // namespace
}  // namespace patchbay::cli
