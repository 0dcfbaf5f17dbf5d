#pragma once

#include <functional>
#include <set>
#include <utility>

#include <grpcpp/support/status.h>

namespace patchbay::rpc {

/// Tracks the open calls of one kind, so that a shutdown can finish them. gRPC's thread.
template <typename Call>
class OpenCalls {
 public:
  void add(Call* call) { calls_.insert(call); }
  void remove(Call* call) {
    calls_.erase(call);
    notify_if_none();
  }
  /// Runs `task` once, as soon as no call is open; immediately if none is open.
  void when_none(std::move_only_function<void()> task) {
    when_none_ = std::move(task);
    notify_if_none();
  }

  /// Finishes every open call. Later calls must check finishing() and finish themselves.
  void finish_all() {
    finishing_ = true;
    for_each([](Call& call) { call.finish(shutting_down()); });
  }
  [[nodiscard]] bool finishing() const { return finishing_; }
  [[nodiscard]] static grpc::Status shutting_down() {
    return {grpc::StatusCode::UNAVAILABLE, "patchbay is shutting down"};
  }

  /// `function` may end the call that is its argument.
  template <typename Function>
  void for_each(const Function& function) {
    const auto calls = calls_;
    for (Call* call : calls) function(*call);
  }

 private:
  void notify_if_none() {
    if (!calls_.empty()) return;
    if (auto task = std::exchange(when_none_, nullptr)) task();
  }

  std::set<Call*> calls_;
  std::move_only_function<void()> when_none_;
  bool finishing_ = false;
};

}  // namespace patchbay::rpc
