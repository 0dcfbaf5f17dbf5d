// Tests `discover` without udev's database, as in a container without the host's /run/udev.
#include <string>

#include "cli/cli_fixture.h"

namespace patchbay {
namespace {

class NoDatabaseTest : public cli::CliTest {
 protected:
  /// The output of `discover` for a resource of /dev/null with these further conditions and keys.
  [[nodiscard]] fake::Finished discover(const std::string& match, const std::string& keys,
                                        const Words& options = {}) const {
    const std::string config =
        dir_.write("config.yaml",
                   "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                   "  - name: a.io/null\n    match: {subsystem: mem, name: \"null\"" +
                       match + "}\n    id: x\n" + keys);
    Words words{"discover", "-c", config};
    words.insert(words.end(), options.begin(), options.end());
    return fake::run_process(patchbay(
        words,
        // Hides the database, if there is one.
        {"unshare", "--mount", "sh", "-c",
         R"({ [ ! -e /run/udev ] || mount -t tmpfs none /run/udev; } && exec "$0" "$@")"}));
  }
};

constexpr const char* kWarning =
    "no udev database: devices have no properties, tags and links, but rules use them; check that "
    "udevd runs and that /run/udev is the host's\n";

TEST_F(NoDatabaseTest, WarnsAboutRulesThatNeedTheDatabase) {
  EXPECT_TRUE(discover(", property: {ID_X: y}", "").err.ends_with(kWarning));
  EXPECT_TRUE(discover("", "    envs: {LINK: \"$(link.by-id:-none)\"}\n").err.ends_with(kWarning));
}

TEST_F(NoDatabaseTest, DoesNotWarnAboutRecordedMachinesThatHaveData) {
  const std::string machine = dir_.write(
      "machine.txt", "P: /devices/virtual/mem/null\nU: mem\nN: null\nD: c 1:3\nE: ID_X=y\n");
  EXPECT_EQ(discover(", property: {ID_X: y}", "", {"--machine", machine}).err, "");
}

TEST_F(NoDatabaseTest, DoesNotWarnAboutOtherRules) {
  const auto end = discover("", "    envs: {NODE: $(devnode)}\n");
  EXPECT_EQ(end.err, "");
  EXPECT_EQ(end.out,
            "RESOURCE   UNIT  STATE    DEVICE     ID FROM  REASON\n"
            "a.io/null  x     healthy  /dev/null  id\n");
}

}  // namespace
}  // namespace patchbay
