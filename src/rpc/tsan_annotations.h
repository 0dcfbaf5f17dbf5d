#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

// The runtime defines these functions, but its header does not declare them.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

/// Annotations for ThreadSanitizer. gRPC is built without ThreadSanitizer and passes objects
/// between threads, so ThreadSanitizer does not see the synchronization. These functions report the
/// synchronization. They do nothing in other builds.
namespace patchbay::rpc {

/// Call it before the object is given to gRPC.
inline void annotate_release([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(object);
#endif
}

/// Call it on the receiving thread before the object is used.
inline void annotate_acquire([[maybe_unused]] void* object) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(object);
#endif
}

/// Makes ThreadSanitizer ignore this thread while this object exists. Use it for calls in which
/// gRPC's headers pass objects to another thread, and that thread uses the objects before it runs
/// code of ours.
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

}  // namespace patchbay::rpc
