#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

/// Makes the stand-in call plugins, outside of the loop thread, because the plugins' sockets are
/// served by the loop. `done` is called later, and never after this object is destroyed. The
/// stand-in lives until pending calls have ended. Loop thread.
class KubeletCalls {
 public:
  template <typename T>
  using Done = std::function<void(const Result<T>&)>;
  using Ids = std::vector<std::string>;

  KubeletCalls(loop::EventLoop& loop, std::shared_ptr<standin::Kubelet> kubelet)
      : loop_(loop), kubelet_(std::move(kubelet)) {}

  void allocate(const std::string& resource, const Ids& ids, Done<standin::AllocateAnswer> done);
  void prefer(const std::string& resource, const standin::PreferenceQuery& query, Done<Ids> done);
  void pre_start(const std::string& resource, const Ids& ids, Done<void> done);
  /// Returns at once: the stand-in read the options when the plugin registered.
  [[nodiscard]] Result<standin::PluginOptions> options(const std::string& resource) const {
    return kubelet_->options(resource);
  }

 private:
  template <typename T>
  void call(std::function<Result<T>(standin::Kubelet&)> ask, Done<T> done);

  loop::EventLoop& loop_;
  std::shared_ptr<standin::Kubelet> kubelet_;
  std::shared_ptr<bool> weak_self_ = std::make_shared<bool>(true);
};

}  // namespace patchbay::cli
