#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"
#include "host/examine.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class NamedDevicesTest : public testing::Test {
 protected:
  /// Adds a device, and the link to it from a class or a bus.
  void add(const std::string& device, const std::string& link) const {
    fs::create_directories(dir_ / ("devices/" + device));
    fs::create_directories(fs::path(dir_ / link).parent_path());
    fs::create_directory_symlink(dir_ / ("devices/" + device), dir_ / link);
  }
  [[nodiscard]] std::vector<std::string> named(const std::string& name) const {
    return kernel_devices_named(DeviceTree({}, fs::canonical(dir_.path())), name);
  }
  [[nodiscard]] std::string key(const std::string& device) const {
    return fs::canonical(dir_ / ("devices/" + device));
  }

  fake::TempDir dir_;
};

TEST_F(NamedDevicesTest, FindsDevicesOfClassesAndBusesOnce) {
  add("pci0/card0", "class/drm/card0");
  add("pci0/sound/card0", "class/sound/card0");
  add("dsa0/wq0.3", "bus/dsa/devices/wq0.3");
  EXPECT_THAT(named("card0"), ElementsAre(key("pci0/card0"), key("pci0/sound/card0")));
  EXPECT_THAT(named("wq0.3"), ElementsAre(key("dsa0/wq0.3")));
  EXPECT_THAT(named("card1"), IsEmpty());
}

TEST_F(NamedDevicesTest, AcceptsSlashForExclamationMark) {
  add("pci0/tenstorrent!0", "class/tenstorrent/tenstorrent!0");
  EXPECT_THAT(named("tenstorrent/0"), ElementsAre(key("pci0/tenstorrent!0")));
  EXPECT_THAT(named("tenstorrent!0"), ElementsAre(key("pci0/tenstorrent!0")));
}

TEST_F(NamedDevicesTest, NeverLeavesTheDeviceTree) {
  add("pci0/card0", "class/drm/card0");
  fs::create_directory_symlink("/etc", dir_ / "class/drm/passwd");
  for (const char* name : {"", ".", "..", "passwd", "../../devices/pci0/card0"}) {
    EXPECT_THAT(named(name), IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace patchbay::host
