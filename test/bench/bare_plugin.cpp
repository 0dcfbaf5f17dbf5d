// A minimal device plugin: the lower bound for scripts/bench.
//
//   bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN
//   bare_plugin KUBELET_DIR RESOURCE files DIRECTORY
//   bare_plugin KUBELET_DIR RESOURCE uevents-stat SUBSYSTEM PATTERN
//   bare_plugin KUBELET_DIR RESOURCE files-stat DIRECTORY
//
// It checks no device, and its Allocate gives nothing. With -stat it stats new and allocated
// devices. It has no rules, facts or health.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/bare/plugin.h"

namespace patchbay::bench {
namespace {

std::unique_ptr<Chooser> chooser(bool stats, const std::string& directory) {
  if (stats) return std::make_unique<StatChooser>(directory);
  return std::make_unique<Chooser>();
}

int main_of(const std::vector<std::string>& words) {
  const std::string mode = words.size() > 2 ? words[2] : "";
  const bool stats = mode.ends_with("-stat");
  if (words.size() == 5 && (mode == "uevents" || mode == "uevents-stat")) {
    const auto its_chooser = chooser(stats, "/dev");
    serve(
        words[0], words[1], [&] { return devices(words[3], words[4], *its_chooser); },
        *its_chooser);
  } else if (words.size() == 4 && (mode == "files" || mode == "files-stat")) {
    const auto its_chooser = chooser(stats, words[3]);
    serve(
        words[0], words[1], [&] { return files(words[3], *its_chooser); }, *its_chooser);
  }
  std::fputs(
      "usage: bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN\n"
      "       bare_plugin KUBELET_DIR RESOURCE files DIRECTORY\n"
      "uevents-stat and files-stat: the same, and each device is statted\n",
      stderr);
  return 2;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) {
  try {
    return patchbay::bench::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_plugin: %s\n", error.what());
    return 1;
  }
}
