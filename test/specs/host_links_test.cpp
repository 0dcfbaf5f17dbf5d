#include "specs/host_links.h"

#include <gtest/gtest.h>

#include "fake/temp_dir.h"

namespace patchbay::specs {
namespace {

class HostLinksTest : public testing::Test {
 protected:
  void link(const std::string& from, const std::string& target) const {
    const std::filesystem::path path = host_ / from;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(target, path);
  }
  [[nodiscard]] std::string resolved(const std::string& path) const {
    return resolve_links(host_.path(), path).value_or("nowhere");
  }
  fake::TempDir host_;
};

TEST_F(HostLinksTest, AreFollowedAsTheHostSeesThem) {
  host_.write("dev/ttyUSB3", "");
  link("dev/serial/by-id/scope", "../../ttyUSB3");
  link("dev/uart", "/dev/serial/by-id/scope");
  link("lab", "/dev/serial");
  EXPECT_EQ(resolved("/dev/ttyUSB3"), "/dev/ttyUSB3");
  EXPECT_EQ(resolved("/dev/serial/by-id/scope"), "/dev/ttyUSB3");
  EXPECT_EQ(resolved("/dev/uart"), "/dev/ttyUSB3");
  EXPECT_EQ(resolved("/lab/by-id/scope"), "/dev/ttyUSB3");
  EXPECT_EQ(resolved("/"), "/");
}

TEST_F(HostLinksTest, StayBelowTheRoot) {
  host_.write("dev/null", "");
  link("dev/up", "../../../../../dev/null");
  EXPECT_EQ(resolved("/dev/up"), "/dev/null");
}

TEST_F(HostLinksTest, LeadNowhereWhereSomethingIsMissingOrGoesRound) {
  link("dev/gone", "ttyUSB9");
  link("dev/a", "b");
  link("dev/b", "a");
  EXPECT_EQ(resolved("/dev/gone"), "nowhere");
  EXPECT_EQ(resolved("/dev/a"), "nowhere");
  EXPECT_EQ(resolved("/missing/x"), "nowhere");
}

}  // namespace
}  // namespace patchbay::specs
