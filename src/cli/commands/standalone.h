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
/// The path of a new temporary directory, which only this user can access. The directory and its
/// content are removed when the pointer is destroyed.
using FreshDirectory = std::unique_ptr<const std::string, RemoveDirectory>;

/// Runs a stand-in of the kubelet for `run --standalone`, with its sockets in a temporary
/// directory. It prints the device lists and their changes, on its own threads.
class Standalone {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Standalone>> start(const rules::Plan& plan);

  /// The directory in which the daemon finds the stand-in's socket and creates its own sockets.
  [[nodiscard]] const std::string& directory() const { return *directory_; }

 private:
  explicit Standalone(FreshDirectory directory) : directory_(std::move(directory)) {}

  FreshDirectory directory_;
  ListPrinter lists_;  ///< Used only in the stand-in's callbacks, which run one at a time.
  std::unique_ptr<standin::Kubelet> kubelet_;
};

}  // namespace patchbay::cli
