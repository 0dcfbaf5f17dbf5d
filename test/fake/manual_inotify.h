#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "loop/inotify.h"

namespace patchbay::fake {

/// An Inotify that reports the events of a test, and records its watches.
class ManualInotify final : public loop::Inotify {
 public:
  using OnEvent = std::function<void(const loop::InotifyEvent&)>;

  Result<loop::Subscription> watch(const std::string& directory, OnEvent on_event,
                                   uint32_t /*more*/) override {
    return add(directory, std::move(on_event));
  }
  Result<loop::Subscription> watch_file(const std::string& file, OnEvent on_event) override {
    return add(file, std::move(on_event));
  }

  /// Notifies all watches of that directory or file.
  void notify(const std::string& path, const loop::InotifyEvent& event) const {
    const auto [first, last] = watches_.equal_range(path);
    std::multimap<std::string, std::shared_ptr<const OnEvent>> targets(first, last);
    for (const auto& [target_path, on_event] : targets) (*on_event)(event);
  }
  void notify_all(const loop::InotifyEvent& event) const {
    for (const std::string& path : std::set(watched())) notify(path, event);
  }

  [[nodiscard]] std::set<std::string> watched() const {
    std::set<std::string> paths;
    for (const auto& [path, on_event] : watches_) paths.insert(path);
    return paths;
  }
  /// Number of watches; a path can have several.
  [[nodiscard]] size_t count() const { return watches_.size(); }

  bool refuses = false;  ///< New watches fail, as at the kernel's limit.

 private:
  Result<loop::Subscription> add(const std::string& path, OnEvent on_event) {
    if (refuses) return fail("cannot watch " + path + ": No space left on device");
    const auto watch = watches_.emplace(path, std::make_shared<const OnEvent>(std::move(on_event)));
    return loop::Subscription([this, watch] { watches_.erase(watch); });
  }

  std::multimap<std::string, std::shared_ptr<const OnEvent>> watches_;
};

}  // namespace patchbay::fake
