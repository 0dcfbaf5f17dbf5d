#include "cli/commands/machine_input.h"

#include <cerrno>
#include <fstream>
#include <utility>

#include "base/text.h"
#include "machine/machine_files.h"
#include "machine/machine_reader.h"

namespace patchbay::cli {
namespace {

Result<std::string> read_text(const std::string& path) {
  const std::string shown = "--machine: " + printable(path, 500);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte more shows that the file is too long.
  std::string text(machine::kMostTextBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return fail_errno(shown, errno);
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

Result<paths::HostRoot> read_recorded_root(const std::string& file) {
  const auto text = read_text(file);
  if (!text) return std::unexpected(text.error());
  const auto machine = machine::read_machine(file, *text);
  if (!machine) return std::unexpected(machine.error());
  return paths::HostRoot(machine::files_of(*machine));
}

}  // namespace patchbay::cli
