#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

// The runtime has them, and its header does not say so.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

/// What passes from one thread to another through gRPC is handed over by atomics of gRPC's, which
/// is built without ThreadSanitizer: these tell it so. Nothing in other builds.
namespace patchbay::serve {

/// Before it is given to gRPC.
inline void annotate_release([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(object);
#endif
}

/// By who got it from gRPC, before the object is touched.
inline void annotate_acquire([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(object);
#endif
}

/// While it lives, what this thread does is not looked at: for calls in which gRPC's own headers
/// hand things over, before which nothing of ours stands on the other thread.
class [[maybe_unused]] ScopedThreadSanitizerIgnore {
 public:
#ifdef __SANITIZE_THREAD__
  ScopedThreadSanitizerIgnore() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~ScopedThreadSanitizerIgnore() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  ScopedThreadSanitizerIgnore() = default;
  ~ScopedThreadSanitizerIgnore() = default;
#endif
  ScopedThreadSanitizerIgnore(const ScopedThreadSanitizerIgnore&) = delete;
  ScopedThreadSanitizerIgnore& operator=(const ScopedThreadSanitizerIgnore&) = delete;
};

}  // namespace patchbay::serve
