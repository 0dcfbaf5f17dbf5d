#include "cli/commands/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"
#include "base/unique_fd.h"
#include "base/write_all.h"

namespace patchbay::cli {

Result<std::string> read_text_file(const std::string& path) {
  constexpr size_t kMostBytes = size_t{16} << 20U;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 65536> buffer{};
  ssize_t count = fd ? 1 : -1;
  while (count > 0 && text.size() <= kMostBytes) {
    count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
  }
  if (count < 0) return fail_errno(printable(path, 500), errno);
  if (text.size() > kMostBytes) {
    return fail(fmt::format("{}: the file is larger than 16 MiB", printable(path, 500)));
  }
  return text;
}

Result<void> replace_text_file(const std::string& path, const std::string& text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int error = fd ? write_all(fd.get(), text) : errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  if (fd) ::unlink(temporary.c_str());
  return fail_errno(printable(path, 500), error);
}

}  // namespace patchbay::cli
