#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// What passes from one thread to another through gRPC is handed over by atomics of gRPC's, which
/// is built without ThreadSanitizer: these tell it. Nothing in other builds.
namespace patchbay::serve {

/// Before it is given to gRPC.
inline void hands_over([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(object);
#endif
}

/// By who got it from gRPC, before the object is touched.
inline void takes_over([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(object);
#endif
}

}  // namespace patchbay::serve
