// Declares gRPC's locks to ThreadSanitizer, which sees no memory access and no atomics in Debian's
// gRPC. gRPC uses abseil's locks, which wait on futexes. This file redefines these locks. gRPC's
// libraries call the new definitions, which report the synchronization. All programs of the preset
// tsan contain this file.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sanitizer/tsan_interface.h>

/// An absl::Time or absl::Duration, as it is passed by value.
struct Span {
  int64_t high;
  uint32_t low;
};

namespace {

template <typename Function>
Function* abseils(const char* name) {
  auto* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "%s is not abseil's here: see %s\n", name, __FILE__);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace

#define PATCHBAY_LOCK "_ZN4absl7debian35Mutex4LockEv"
#define PATCHBAY_TRY_LOCK "_ZN4absl7debian35Mutex7TryLockEv"
#define PATCHBAY_UNLOCK "_ZN4absl7debian35Mutex6UnlockEv"
#define PATCHBAY_WAIT "_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE"
#define PATCHBAY_WAIT_UNTIL "_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE"
#define PATCHBAY_WAIT_FOR "_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE"

void lock(void* mutex) __asm__(PATCHBAY_LOCK);
bool try_lock(void* mutex) __asm__(PATCHBAY_TRY_LOCK);
void unlock(void* mutex) __asm__(PATCHBAY_UNLOCK);
void wait(void* condition, void* mutex) __asm__(PATCHBAY_WAIT);
bool wait_until(void* condition, void* mutex, Span end) __asm__(PATCHBAY_WAIT_UNTIL);
bool wait_for(void* condition, void* mutex, Span time) __asm__(PATCHBAY_WAIT_FOR);

void lock(void* mutex) {
  static auto* const real = abseils<void(void*)>(PATCHBAY_LOCK);
  real(mutex);
  __tsan_acquire(mutex);
}

bool try_lock(void* mutex) {
  static auto* const real = abseils<bool(void*)>(PATCHBAY_TRY_LOCK);
  const bool locked = real(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

void unlock(void* mutex) {
  static auto* const real = abseils<void(void*)>(PATCHBAY_UNLOCK);
  __tsan_release(mutex);
  real(mutex);
}

void wait(void* condition, void* mutex) {
  static auto* const real = abseils<void(void*, void*)>(PATCHBAY_WAIT);
  __tsan_release(mutex);
  real(condition, mutex);
  __tsan_acquire(mutex);
}

bool wait_until(void* condition, void* mutex, Span end) {
  static auto* const real = abseils<bool(void*, void*, Span)>(PATCHBAY_WAIT_UNTIL);
  __tsan_release(mutex);
  const bool timed_out = real(condition, mutex, end);
  __tsan_acquire(mutex);
  return timed_out;
}

bool wait_for(void* condition, void* mutex, Span time) {
  static auto* const real = abseils<bool(void*, void*, Span)>(PATCHBAY_WAIT_FOR);
  __tsan_release(mutex);
  const bool timed_out = real(condition, mutex, time);
  __tsan_acquire(mutex);
  return timed_out;
}
