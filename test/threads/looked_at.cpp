/// The first race ends the program, a daemon, too: so its test fails.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0";
}
