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

/// Has the stand-in call plugins, off the loop: their answers come over sockets that the loop
/// accepts. `done` is called later, and never once this object is gone; the stand-in lives until
/// the calls that are under way have ended. Loop thread.
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
  /// At once: the stand-in has asked when the plugin registered.
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
