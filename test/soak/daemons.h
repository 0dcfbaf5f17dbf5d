#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "fake/memory_cgroup.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::soak {

/// A pipe into which daemons log. Keeps the newest lines. Thread-safe.
class LogPipe {
 public:
  explicit LogPipe(const std::string& path);
  LogPipe(const LogPipe&) = delete;
  LogPipe& operator=(const LogPipe&) = delete;
  ~LogPipe();

  /// Pauses or resumes the reading. While it is paused, the pipe fills up.
  void hold(bool held) { held_ = held; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> newest() const;

 private:
  static constexpr size_t kKept = 300;
  void read();

  std::string path_;
  UniqueFd pipe_;
  std::atomic<bool> held_ = false;
  std::atomic<bool> ending_ = false;
  mutable std::mutex mutex_;  ///< Guards `lines_`.
  std::deque<std::string> lines_;
  std::thread reader_;
};

/// Resources that a process uses.
struct Holdings {
  size_t descriptors = 0;
  size_t threads = 0;
  size_t children = 0;
  size_t resident_kib = 0;
  [[nodiscard]] std::string to_text() const;
};
[[nodiscard]] Holdings holdings_of(pid_t process);
/// The anonymous memory of a process that is resident, in KiB.
[[nodiscard]] long anonymous_kib(pid_t process);
/// The threads of a process by name, such as "2 patchbay, 16 grpc_global_tim".
[[nodiscard]] std::string threads_of(pid_t process);

/// Starts daemons, all with the same options. For one thread.
class Daemons {
 public:
  /// No memory limit if `mebibytes` is 0.
  Daemons(std::string kubelet_directory, std::string config, size_t mebibytes);

  /// Options of all later daemons.
  void add_options(const std::vector<std::string>& options);
  [[nodiscard]] std::unique_ptr<fake::Process> start() const;
  [[nodiscard]] std::string cdi_directory() const { return dir_ / "cdi"; }
  [[nodiscard]] std::string status_socket() const { return dir_ / "status.sock"; }
  LogPipe& log() { return log_; }
  [[nodiscard]] bool limited() const { return memory_ && !memory_->unavailable(); }

 private:
  fake::TempDir dir_;
  std::string kubelet_directory_;
  std::string config_;
  std::vector<std::string> options_;
  LogPipe log_;
  std::optional<fake::MemoryCgroup> memory_;
};

}  // namespace patchbay::soak
