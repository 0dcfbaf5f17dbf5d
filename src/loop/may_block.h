#pragma once

#include <cassert>
#include <utility>

namespace patchbay::loop {

/// Whether the thread that lives through this may do what may hang, such as a look at a file system
/// of the network. The loop's thread and gRPC's may not, as all else waits for them. What may hang
/// begins with check(), which ends a debug build, the tests' one, that does it there.
///
/// An exception is one of these with `true`, beside its reason.
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
