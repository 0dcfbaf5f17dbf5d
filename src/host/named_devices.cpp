#include "host/named_devices.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

/// DIRECTORY/X + `below`, for each X in the directory.
std::vector<fs::path> paths_in(const std::string& directory, const std::string& below) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    paths.push_back(it->path() / below);
  }
  return paths;
}

}  // namespace

std::vector<std::string> kernel_devices_named(std::string_view name, const std::string& sysfs) {
  std::string entry(name);
  std::ranges::replace(entry, '/', '!');
  std::vector<std::string> found;
  if (entry.empty() || entry == "." || entry == ".." || entry.contains('\0')) return found;
  auto paths = paths_in(sysfs + "/class", entry);
  const auto on_buses = paths_in(sysfs + "/bus", "devices/" + entry);
  paths.insert(paths.end(), on_buses.begin(), on_buses.end());
  for (const fs::path& path : paths) {
    std::error_code error;
    const std::string device = fs::canonical(path, error);
    if (!error && device.starts_with(sysfs + "/devices/")) found.push_back(device);
  }
  std::ranges::sort(found, natural_less);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace patchbay::host
