#pragma once

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>

#include "base/unique_fd.h"
#include "fake/event_log.h"

namespace patchbay::cli {

/// A terminal that programs open by its path. It must outlive them.
class PseudoTerminal {
 public:
  PseudoTerminal() : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    std::array<char, 64> name{};
    if (!screen_ || grantpt(screen_.get()) != 0 || unlockpt(screen_.get()) != 0 ||
        ptsname_r(screen_.get(), name.data(), name.size()) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
    path_ = name.data();
    kept_open_ = UniqueFd(open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Sends input to the program, as from the keyboard.
  void type(const std::string& text) const {
    if (write(screen_.get(), text.data(), text.size()) < 0) throw std::runtime_error("cannot type");
  }

  /// All output so far, without the carriage returns that a terminal adds.
  [[nodiscard]] const std::string& shown() {
    while (read_some(std::chrono::milliseconds(0))) {
    }
    return shown_;
  }

  [[nodiscard]] bool wait_for(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + fake::kPatience;
    while (shown_.find(text) == std::string::npos) {
      const auto left = end - std::chrono::steady_clock::now();
      if (!read_some(std::chrono::ceil<std::chrono::milliseconds>(left))) return false;
    }
    return true;
  }

 private:
  bool read_some(std::chrono::milliseconds patience) {
    pollfd waiting{.fd = screen_.get(), .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(std::max<int64_t>(patience.count(), 0))) <= 0) {
      return false;
    }
    std::array<char, 4096> buffer{};
    const ssize_t size = read(screen_.get(), buffer.data(), buffer.size());
    if (size <= 0) return false;
    shown_.append(buffer.data(), static_cast<size_t>(size));
    std::erase(shown_, '\r');
    return true;
  }

  UniqueFd screen_;
  UniqueFd kept_open_;
  std::string path_;
  std::string shown_;
};

}  // namespace patchbay::cli
