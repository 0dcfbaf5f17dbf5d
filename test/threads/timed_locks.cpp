// Redefines locks with a timeout on the steady clock, because GCC 12's ThreadSanitizer does not
// know the C library's function. All programs of the preset tsan contain this file.
#include <pthread.h>
#include <time.h>

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) noexcept {
  constexpr long kSecond = 1'000'000'000;
  timespec now{};
  timespec end{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (end.tv_nsec < 0) {
    end.tv_nsec += kSecond;
    --end.tv_sec;
  } else if (end.tv_nsec >= kSecond) {
    end.tv_nsec -= kSecond;
    ++end.tv_sec;
  }
  return pthread_mutex_timedlock(mutex, &end);
}
