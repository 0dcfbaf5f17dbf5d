// Disables the reports of ThreadSanitizer in test programs that run the daemon as another process.
// That process is checked completely. The test program is not, because its kubelet uses gRPC's
// callbacks, from libraries that Debian builds without ThreadSanitizer.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:report_bugs=0:atexit_sleep_ms=0";
}
