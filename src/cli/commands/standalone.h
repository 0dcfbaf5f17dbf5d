#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "cli/commands/list_printer.h"
#include "rules/plan/plan_fwd.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

struct RemoveDirectory {
  void operator()(const std::string* path) const;
};
/// A new temporary directory for sockets that only this user can access. It is removed, with its
/// content, with this object.
using FreshDirectory = std::unique_ptr<const std::string, RemoveDirectory>;

/// `run --standalone`: a kubelet stand-in in a temporary directory. It prints each device list as
/// it changes, on its own threads.
class Standalone {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Standalone>> start(const rules::Plan& plan);

  /// The device-plugins directory.
  [[nodiscard]] const std::string& directory() const { return *directory_; }

 private:
  explicit Standalone(FreshDirectory directory) : directory_(std::move(directory)) {}

  FreshDirectory directory_;
  ListPrinter lists_;  ///< Used by the kubelet's callbacks, one at a time.
  std::unique_ptr<standin::Kubelet> kubelet_;
};

}  // namespace patchbay::cli
