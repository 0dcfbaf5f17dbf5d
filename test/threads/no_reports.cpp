// Disables ThreadSanitizer in tests that run the daemon in its own process: the daemon is checked
// completely, without suppressions. This process is not checked. Its kubelet consists of gRPC's
// callbacks, from libraries that Debian builds without ThreadSanitizer.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:report_bugs=0:atexit_sleep_ms=0";
}
