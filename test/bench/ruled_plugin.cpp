// The bare plugin with the daemon's rules. It measures the cost of rules without the daemon's loop,
// health, log and counters.
//
//   ruled_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN
//   ruled_plugin KUBELET_DIR RESOURCE files DIRECTORY
//
// It reads each new device, evaluates the rule of the resource, makes the unit, and builds the
// answer to Allocate.
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bare/plugin.h"
#include "bench/world.h"
#include "host/udev/udev_event.h"
#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "plugin/plugin_messages.h"

namespace patchbay::bench {
namespace {

class Ruled final : public StatChooser {
 public:
  Ruled(const std::string& resource, const std::string& match, const std::string& directory)
      : StatChooser(directory),
        pattern_(directory + "/*"),
        inventory_(plan_of(fmt::format("  - {{name: {}, match: {}, id: $(name), linger: 0s}}\n",
                                       resource, match))) {}

  void added(const Entity& entity) override {
    StatChooser::added(entity);
    if (auto facts = facts_of(entity)) {
      inventory_.apply(std::make_shared<const DeviceFacts>(*std::move(facts)));
    }
  }
  void removed(const Entity& entity) override { inventory_.remove(entity.path); }
  void decide() override {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    snapshot_ = inventory_.resolve(now).resources.at(0).snapshot;
  }
  void give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& answer) override {
    StatChooser::give(ids, answer);
    const auto allocation =
        inventory::allocate(*snapshot(), ids, [](const auto&, bool) { return true; });
    if (allocation) *answer.add_container_responses() = plugin::to_response(*allocation);
  }

 private:
  [[nodiscard]] inventory::SnapshotPtr snapshot() {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }
  /// The facts of a new device. Null for a device that existed before the start, because the start
  /// is not measured.
  [[nodiscard]] std::optional<DeviceFacts> facts_of(const Entity& entity) const {
    if (!entity.uevent.empty()) {
      const auto event = host::parse_uevent(entity.uevent);
      return event ? std::optional(event->facts()) : std::nullopt;
    }
    if (entity.path.starts_with("/sys/")) return std::nullopt;
    DeviceFacts facts;
    facts.key = entity.path;
    facts.kind = DeviceKind::path;
    facts.name = entity.name;
    facts.path_type = PathType::file;
    facts.found_by = {{pattern_, entity.path}};
    return facts;
  }

  std::string pattern_;
  inventory::Inventory inventory_;
  std::mutex mutex_;
  inventory::SnapshotPtr snapshot_;  // Guarded by mutex_.
};

int main_of(const std::vector<std::string>& words) {
  const std::string mode = words.size() > 2 ? words[2] : "";
  if (words.size() == 5 && mode == "uevents") {
    Ruled ruled(words[1], fmt::format("{{subsystem: {}, name: '{}'}}", words[3], words[4]), "/dev");
    serve(
        words[0], words[1], [&] { return devices(words[3], words[4], ruled); }, ruled);
  } else if (words.size() == 4 && mode == "files") {
    Ruled ruled(words[1], fmt::format("{{glob: '{}/*'}}", words[3]), words[3]);
    serve(
        words[0], words[1], [&] { return files(words[3], ruled); }, ruled);
  }
  std::fputs(
      "usage: ruled_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN\n"
      "       ruled_plugin KUBELET_DIR RESOURCE files DIRECTORY\n",
      stderr);
  return 2;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) {
  try {
    return patchbay::bench::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ruled_plugin: %s\n", error.what());
    return 1;
  }
}
