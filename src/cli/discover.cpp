#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/host_options.h"
#include "cli/process_setup.h"
#include "cli/resolution_view.h"
#include "cli/terminal.h"
#include "daemon/device_watch.h"

namespace patchbay::cli {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J\x1b[3J";

void show(const DiscoverOptions& options, const inventory::Resolution& resolution, bool first) {
  if (options.output == OutputFormat::json) {
    print(resolution_json(resolution, options.watch ? -1 : 2));
    return;
  }
  // On a terminal the table is redrawn in place; elsewhere each one follows the last.
  if (options.watch && is_terminal(STDOUT_FILENO)) {
    print(kClearScreen);
  } else if (!first) {
    print("\n");
  }
  print(resolution_table(resolution));
}

}  // namespace

int discover(const DiscoverOptions& options) {
  prepare_process();
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;

  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) {
    print_error("patchbay: " + inotify.error().message + "\n");
    return kUnable;
  }
  bool first = true;
  daemon::DeviceWatch devices(loop, **inotify, input.plan,
                              host_options(options.host, options.watch),
                              [&](const inventory::Resolution& resolution) {
                                show(options, resolution, first);
                                first = false;
                                if (!options.watch) loop.stop();
                              });
  const auto terminate = loop.watch_signal(SIGTERM, [&] { loop.stop(); });
  const auto interrupt = loop.watch_signal(SIGINT, [&] { loop.stop(); });
  const auto progress = loop.after(loop::Milliseconds(1000), [&] {
    if (first && is_terminal(STDERR_FILENO)) print_error("looking at the devices…\n");
  });
  if (const auto started = devices.start(); !started) {
    print_error("patchbay: " + started.error().message + "\n");
    return kUnable;
  }
  loop.run();
  return kOk;
}

}  // namespace patchbay::cli
