/// The first race ends the program, also a daemon, so its test fails. gRPC's own threads may
/// outlive the program's end: it does not wait for them.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0:report_thread_leaks=0";
}
