// What `discover` shows of a host made of files.
#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

/// The host is a directory of files.
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
    return said(arguments);
  }
};

TEST_F(DiscoverTest, UnitsRefusalsAndNothing) {
  const std::string path =
      config(files("line", "/dev/bench/*", "    description: lines of the bench\n") +
             files("late", "/dev/bench/line2") + files("none", "/dev/none/*") +
             files("mount", "/srv/*", "    mounts: [{hostPath: /data/$(name)}]\n"));
  for (const std::string file : {"/dev/bench/line10", "/dev/bench/line2", "/srv/a", "/srv/b\n"}) {
    plug(file);
  }
  expect_golden("discover.txt", discovered(path));
  expect_golden("discover.json.txt", discovered(path, {"-o", "json"}));
}

TEST_F(DiscoverTest, HostileNamesArePrintedSafely) {
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

TEST_F(DiscoverTest, MistakesAreThoseOfValidate) {
  const std::string path = config("  - {name: a, match: {subsystem: net}, idd: $(name)}\n");
  const auto end = run({"discover", "-c", path});
  EXPECT_EQ(text_of(end), said({"validate", path}));
  EXPECT_EQ(end.exit_code, 1);
}

TEST_F(DiscoverTest, KernelDevicesWithTheirNodes) {
  const std::string path =
      config("  - {name: \"null\", match: {subsystem: mem, name: \"null\"}, id: $(name)}\n");
  EXPECT_EQ(said({"discover", "-c", path}),
            "exit 0\n--- out\n"
            "RESOURCE          UNIT  STATE    DEVICE     REASON\n"
            "example.com/null  null  healthy  /dev/null\n--- err\n");
}

}  // namespace
}  // namespace patchbay::cli
