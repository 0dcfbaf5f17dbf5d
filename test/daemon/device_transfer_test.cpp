// Tests that a device can move from one resource to another. Runs the daemon's binary.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

using fake::kGopher;
using fake::kHead;
using fake::kMole;

/// Two resources match the same devices. The first one in the configuration gets them.
class DeviceTransferTest : public fake::ReloadTest {
 protected:
  [[nodiscard]] std::string wanting(const std::string& name, const std::string& more = "") const {
    return "  - {name: example.com/" + name + more +
           ", linger: 1h, match: {glob: " + (dir_ / "gophers/*") + ", type: file}, id: $(name)}\n";
  }
  [[nodiscard]] std::string newest(const std::string& resource) const {
    return text_of(*kubelet_->latest(resource)->devices);
  }
};

TEST_F(DeviceTransferTest, MovedDeviceIsListedOnce) {
  const std::vector<std::string> orders = {kHead + wanting("gopher") + wanting("mole"),
                                           kHead + wanting("mole") + wanting("gopher")};
  start_serving(orders[0]);
  ASSERT_TRUE(lists(kMole, ""));
  for (size_t i = 1; i <= 6; ++i) {
    const auto& [has, had] = i % 2 == 1 ? std::pair(kMole, kGopher) : std::pair(kGopher, kMole);
    const size_t mark = kubelet_->log().size();
    edit(orders.at(i % 2));
    ASSERT_TRUE(lists(has, "g1=Healthy", mark));
    ASSERT_TRUE(lists(had, "", mark));
    EXPECT_EQ(newest(has), "g1=Healthy");
    EXPECT_EQ(newest(had), "");
    EXPECT_TRUE(kubelet_->allocate(has, {"g1"}));
    EXPECT_FALSE(kubelet_->allocate(had, {"g1"}));
  }
  EXPECT_EQ(kubelet_->count(Kind::ended), 0U);
}

TEST_F(DeviceTransferTest, DeviceIsListedOnlyAfterOtherResourceReleasedIt) {
  const auto gopher = wanting("gopher", ", cdi: write, mounts: [{hostPath: $(path)}]");
  const auto mole = wanting("mole");
  start_serving(kHead + gopher + mole);
  ASSERT_TRUE(lists(kMole, ""));
  // A directory replaces the spec file, so the daemon cannot remove it.
  const std::string spec = dir_ / "cdi/patchbay-example.com_gopher.json";
  std::filesystem::remove(spec);
  std::filesystem::create_directory(spec);
  const size_t mark = kubelet_->log().size();
  edit(kHead + mole + gopher);
  ASSERT_TRUE(daemon_->wait_for_line("keeping the previous device list"));
  EXPECT_EQ(newest(kGopher), "g1=Healthy");
  EXPECT_EQ(newest(kMole), "");
  EXPECT_FALSE(kubelet_->allocate(kMole, {"g1"}));
  std::filesystem::remove(spec);
  EXPECT_TRUE(lists(kMole, "g1=Healthy", mark));
  EXPECT_TRUE(lists(kGopher, "", mark));
}

}  // namespace
}  // namespace patchbay
