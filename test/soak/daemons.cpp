#include "soak/daemons.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace patchbay::soak {
namespace {

namespace fs = std::filesystem;

size_t entries_of(const std::string& directory) {
  size_t count = 0;
  std::error_code gone;
  for (fs::directory_iterator entry(directory, gone), end; entry != end; entry.increment(gone)) {
    ++count;
  }
  return count;
}

/// Whether the process has this parent. /proc/PID/stat is "pid (name) state ppid …", and the name
/// may contain any text.
bool is_child(const fs::path& process, pid_t parent) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return false;
  return std::atoi(line.c_str() + name_end + 4) == parent;
}

size_t children_of(pid_t parent) {
  size_t count = 0;
  std::error_code gone;
  for (fs::directory_iterator entry("/proc", gone), end; entry != end; entry.increment(gone)) {
    const std::string name = entry->path().filename();
    if (name.front() >= '1' && name.front() <= '9' && is_child(entry->path(), parent)) ++count;
  }
  return count;
}

}  // namespace

LogPipe::LogPipe(const std::string& path) : path_(path) {
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no pipe to log into");
  pipe_ = UniqueFd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  reader_ = std::thread([this] { read(); });
}

LogPipe::~LogPipe() {
  ending_ = true;
  reader_.join();
}

void LogPipe::read() {
  constexpr int kLookMilliseconds = 50;
  std::string pending;
  std::array<char, 65536> buffer{};
  while (!ending_) {
    pollfd ready{.fd = held_ ? -1 : pipe_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kLookMilliseconds) <= 0) continue;
    const ssize_t size = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (size <= 0) continue;
    pending.append(buffer.data(), static_cast<size_t>(size));
    const std::lock_guard lock(mutex_);
    for (size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      lines_.push_back(pending.substr(0, end));
      pending.erase(0, end + 1);
      if (lines_.size() > kKept) lines_.pop_front();
    }
  }
}

std::vector<std::string> LogPipe::newest() const {
  const std::lock_guard lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

std::string Holdings::to_text() const {
  return fmt::format("{} descriptors, {} threads, {} children, {} KiB", descriptors, threads,
                     children, resident_kib);
}

Holdings holdings_of(pid_t process) {
  const std::string directory = fmt::format("/proc/{}", process);
  Holdings holdings{.descriptors = entries_of(directory + "/fd"),
                    .threads = entries_of(directory + "/task"),
                    .children = children_of(process)};
  // No stream reads the number: cpp-httplib brings a second libstdc++, with which that fails.
  std::string line;
  std::ifstream file(directory + "/statm");
  std::getline(file, line);
  const size_t space = line.find(' ');
  const size_t pages =
      space == std::string::npos ? 0 : std::strtoul(line.c_str() + space, nullptr, 10);
  holdings.resident_kib = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  return holdings;
}

long anonymous_kib(pid_t process) {
  constexpr std::string_view kKey = "RssAnon:";
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kKey)) return std::atol(line.c_str() + kKey.size());
  }
  return 0;
}

std::string threads_of(pid_t process) {
  std::map<std::string, size_t> names;
  std::error_code gone;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/task", process), gone), end; entry != end;
       entry.increment(gone)) {
    std::string name;
    std::ifstream file(entry->path() / "comm");
    std::getline(file, name);
    ++names[name];
  }
  std::string text;
  for (const auto& [name, count] : names) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

Daemons::Daemons(std::string kubelet_directory, std::string config, size_t mebibytes)
    : kubelet_directory_(std::move(kubelet_directory)),
      config_(std::move(config)),
      log_(dir_ / "log") {
  if (mebibytes != 0) memory_.emplace(mebibytes << 20U);
}

void Daemons::add_options(const std::vector<std::string>& options) {
  options_.insert(options_.end(), options.begin(), options.end());
}

std::unique_ptr<fake::Process> Daemons::start() const {
  std::vector<std::string> command{
      "sh",
      "-c",
      (limited() ? memory_->command() : "") + "exec \"$@\" 2>" + log_.path(),
      "sh",
      fake::patchbay_binary(),
      "run",
      "--config",
      config_,
      "--kubelet-dir",
      kubelet_directory_,
      "--cdi-dir",
      cdi_directory(),
      "--device-info-dir",
      dir_ / "devinfo",
      "--status-socket",
      status_socket(),
      "--log-format",
      "json",
      "--log-level",
      "debug"};
  command.insert(command.end(), options_.begin(), options_.end());
  return std::make_unique<fake::Process>(command);
}

}  // namespace patchbay::soak
