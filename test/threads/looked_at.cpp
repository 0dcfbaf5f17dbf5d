/// The first race ends the program, a daemon, too: so its test fails. GRPC's own threads may end
/// after the program: it does not wait for them.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0:report_thread_leaks=0";
}
