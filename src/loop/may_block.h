#pragma once

#include <cassert>
#include <utility>

namespace patchbay::loop {

/// Declares, for its scope, whether the current thread may run operations that can hang, such as
/// reads of a network file system. The loop's thread and gRPC's thread must not, because all other
/// work waits for them. Operations that can hang call check(), which aborts a debug build if the
/// thread must not run them.
///
/// An exception to this rule is a `MayBlock(true)` with a comment that says why.
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
