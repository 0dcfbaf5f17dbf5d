#include "config/loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/unique_fd.h"
#include "config/manifest.h"
#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

using SourcePtr = std::shared_ptr<const Source>;

constexpr int kMaxAttempts = 5;

std::string shown_path(std::string_view path) { return printable(path, 500); }

std::string_view type_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Standard input can be non-blocking if another process that shares it made it so.
void wait_until_readable(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  ::poll(&waiting, 1, -1);
}

/// The behaviour of a read while no data is available.
enum class NoData { wait, fail };

/// The whole text of an open file. For a file above the limit it stops after the limit.
Result<std::string> read_text(int fd, const std::string& path, NoData no_data) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) break;
    if (count < 0 && errno == EAGAIN && no_data == NoData::fail) {
      return fail(
          fmt::format("{} has no end: the kernel may add data at any time; use a plain file",
                      shown_path(path)));
    }
    if (count < 0 && errno == EAGAIN) wait_until_readable(fd);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return fail_errno(shown_path(path), errno);
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > kMaxManifestBytes) break;
  }
  if (text.size() <= kMaxFileBytes) return text;
  if (!contains_manifests(text))
    return fail(fmt::format("{} is larger than 1 MiB", shown_path(path)));
  if (text.size() <= kMaxManifestBytes) return text;
  return fail(fmt::format("{} is larger than 16 MiB", shown_path(path)));
}

/// Opens without waiting for the other end of a pipe.
UniqueFd open_at(int directory, const std::string& name) {
  return UniqueFd(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

Result<SourcePtr> read_source(const UniqueFd& fd, const struct stat& status, std::string path) {
  if (!S_ISREG(status.st_mode)) {
    return fail(fmt::format("{} is {}, not a file", shown_path(path), type_name(status.st_mode)));
  }
  auto text = read_text(fd.get(), path, NoData::fail);
  if (!text) return std::unexpected(std::move(text).error());
  return std::make_shared<const Source>(Source{std::move(path), *std::move(text)});
}

/// The names of a directory's YAML files, in lexical order.
Result<std::vector<std::string>> yaml_names(const UniqueFd& directory, const std::string& path) {
  DIR* stream = ::fdopendir(open_at(directory.get(), ".").release());
  if (stream == nullptr) return fail_errno(shown_path(path), errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = names.size() > kMaxFiles ? nullptr : ::readdir(stream)) {
    if (is_source_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return fail_errno(shown_path(path), error);
  if (names.size() > kMaxFiles) {
    return fail(fmt::format("{} contains more than {} *.yaml and *.yml files: join them",
                            shown_path(path), kMaxFiles));
  }
  if (names.empty())
    return fail(fmt::format("{} contains no *.yaml or *.yml file", shown_path(path)));
  std::ranges::sort(names);
  return names;
}

Result<std::vector<SourcePtr>> read_directory(const UniqueFd& directory, const std::string& path) {
  const auto names = yaml_names(directory, path);
  if (!names) return std::unexpected(names.error());
  std::vector<SourcePtr> sources;
  for (const std::string& name : *names) {
    std::string full = path.ends_with('/') ? path + name : path + "/" + name;
    const UniqueFd fd = open_at(directory.get(), name);
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) return fail_errno(shown_path(full), errno);
    auto source = read_source(fd, status, std::move(full));
    if (!source) return std::unexpected(std::move(source).error());
    sources.push_back(*std::move(source));
  }
  return sources;
}

/// The target of the `..data` link of a mounted ConfigMap; empty for other directories.
std::string config_map_version(const UniqueFd& directory) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(directory.get(), "..data", target.data(), target.size());
  return size < 0 ? std::string() : std::string(target.data(), static_cast<size_t>(size));
}

/// Reads all files of one version of a mounted ConfigMap. The kubelet can switch `..data` to the
/// next version at any time. It creates the links of new files, and removes those of old files,
/// only afterwards. So the files are read in the version's directory.
Result<std::vector<SourcePtr>> read_one_version(const UniqueFd& directory,
                                                const std::string& path) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const std::string version = config_map_version(directory);
    const UniqueFd data = version.empty() ? UniqueFd() : open_at(directory.get(), "..data");
    auto sources = read_directory(data ? data : directory, path);
    if (config_map_version(directory) == version) return sources;
  }
  return fail(fmt::format("{} changed repeatedly while it was read", shown_path(path)));
}

Result<std::vector<SourcePtr>> load_standard_input() {
  auto text = read_text(STDIN_FILENO, "standard input", NoData::wait);
  if (!text) return std::unexpected(std::move(text).error());
  return std::vector{std::make_shared<const Source>(Source{kStandardInput, *std::move(text)})};
}

Result<std::vector<SourcePtr>> load_path(const std::string& path) {
  if (path == "-") return load_standard_input();
  const UniqueFd fd = open_at(AT_FDCWD, path);
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail_errno(shown_path(path), errno);
  if (S_ISDIR(status.st_mode)) return read_one_version(fd, path);
  auto source = read_source(fd, status, path);
  if (!source) return std::unexpected(std::move(source).error());
  return std::vector<SourcePtr>{*std::move(source)};
}

}  // namespace

bool is_source_name(std::string_view name) {
  return !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"));
}

Result<std::vector<SourcePtr>> load_sources(std::span<const std::string> paths) {
  std::vector<SourcePtr> sources;
  for (const std::string& path : paths) {
    auto loaded = load_path(path);
    if (!loaded) return std::unexpected(std::move(loaded).error());
    std::ranges::move(*loaded, std::back_inserter(sources));
  }
  return sources;
}

}  // namespace patchbay::config
