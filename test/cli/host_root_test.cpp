// Tests --host-root, a prefix for the paths of glob rules only.
#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

namespace fs = std::filesystem;

class HostRootTest : public CliTest {
 protected:
  [[nodiscard]] std::string config(const std::string& match) const {
    return dir_.write("config.yaml",
                      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                      "  - {name: example.com/line, match: " +
                          match + ", id: $(name), devices: []}\n");
  }
  [[nodiscard]] std::string discovered(const std::string& config, const std::string& root) const {
    return output_of({"discover", "-c", config, "--host-root", root});
  }

  static constexpr const char* kLine1 =
      "exit 0\n--- out\n"
      "RESOURCE          UNIT   STATE    DEVICE            ID FROM  REASON\n"
      "example.com/line  line1  healthy  /dev/bench/line1  id\n--- err\n";
};

TEST_F(HostRootTest, ReadsPathsBelowHostRoot) {
  dir_.write("host/dev/bench/line1", "");
  const std::string path = config("{glob: \"/dev/bench/*\"}");
  EXPECT_EQ(discovered(path, dir_ / "host"), kLine1);
  EXPECT_EQ(discovered(path, dir_ / "host/"), kLine1);
  EXPECT_EQ(discovered(path, dir_ / "host/../host//."), kLine1);
  fs::create_directory_symlink("host", dir_ / "link");
  EXPECT_EQ(discovered(path, dir_ / "link"), kLine1);
}

TEST_F(HostRootTest, RejectsHostRootThatIsNoDirectory) {
  const std::string path = config("{glob: \"/dev/bench/*\"}");
  EXPECT_EQ(discovered(path, dir_ / "none"),
            "exit 2\n--- out\n--- err\n"
            "patchbay: --host-root: DIR/none: No such file or directory\n");
  EXPECT_EQ(
      discovered(path, path),
      "exit 2\n--- out\n--- err\npatchbay: --host-root: DIR/config.yaml is not a directory\n");
}

TEST_F(HostRootTest, RejectsDeviceRulesWithHostRoot) {
  const auto refusal = [](const std::string& key) {
    return "exit 2\n--- out\n--- err\npatchbay: DIR/config.yaml:4: a " + key +
           " rule reads /sys and /run/udev, which --host-root cannot move; mount the host's "
           "directories there and remove --host-root\n";
  };
  const std::string udev = config("{subsystem: mem, name: \"null\"}");
  EXPECT_EQ(discovered(udev, dir_.path()), refusal("subsystem"));
  EXPECT_EQ(output_of({"run", "--standalone", "-c", udev, "--host-root", dir_.path()}),
            refusal("subsystem"));
  EXPECT_EQ(discovered(config("{sysfs: \"/sys/class/mem/null\"}"), dir_.path()), refusal("sysfs"));
}

TEST_F(HostRootTest, SlashMeansNoHostRoot) {
  EXPECT_EQ(discovered(config("{subsystem: mem, name: \"null\"}"), "//"),
            "exit 0\n--- out\n"
            "RESOURCE          UNIT  STATE    DEVICE     ID FROM  REASON\n"
            "example.com/line  null  healthy  /dev/null  id\n--- err\n");
}

}  // namespace
}  // namespace patchbay::cli
