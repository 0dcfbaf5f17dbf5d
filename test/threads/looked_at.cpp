/// The first race ends the program, a daemon, too: so its test fails. Programs are started in a
/// child that shares the memory until it becomes the program, after which there may be more
/// threads.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0:die_after_fork=0";
}
