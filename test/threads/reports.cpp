/// Ends the program at the first race, so that its test fails. Ignores threads that run at the end,
/// because gRPC does not join all its threads.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0:report_thread_leaks=0";
}
