#pragma once

#include <cassert>
#include <utility>

namespace patchbay::loop {

/// Declares, for its scope, whether the current thread may run operations that can hang, such as
/// reads of a network file system. The loop's thread and gRPC's thread may not, because everything
/// waits for them. Such operations call check(), which aborts a debug build, as in tests, on a
/// forbidden thread.
///
/// An exception is a MayBlock with `true`, with its reason as a comment.
class MayBlock {
 public:
  explicit MayBlock(bool may) : before_(std::exchange(may_, may)) {}
  MayBlock(const MayBlock&) = delete;
  MayBlock& operator=(const MayBlock&) = delete;
  ~MayBlock() { may_ = before_; }

  static void check() { assert(may_); }

 private:
  inline static thread_local bool may_ = true;
  bool before_;
};

}  // namespace patchbay::loop
