// A test that has the daemon do something, in a process of its own, is there for the daemon: that
// one is looked at whole, without a suppression. Of this process, whose kubelet consists of gRPC's
// callbacks, ThreadSanitizer says nothing: they come from libraries that Debian builds without it.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:report_bugs=0:atexit_sleep_ms=0";
}
