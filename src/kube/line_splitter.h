#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace patchbay::kube {

/// Splits a stream of bytes into lines. One thread.
class LineSplitter {
 public:
  /// More than the largest object of the API server (1.5 MB).
  static constexpr size_t kMaxLine = size_t{2} << 20;

  /// Calls `on_line` for each whole line, without its end, until it returns false. Returns false
  /// then, and if a line is longer than kMaxLine: give up the stream.
  [[nodiscard]] bool add(std::string_view bytes,
                         const std::function<bool(std::string_view)>& on_line) {
    for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      rest_ += bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      const bool go_on = rest_.size() <= kMaxLine && on_line(rest_);
      rest_.clear();
      if (!go_on) return false;
    }
    rest_ += bytes;
    return rest_.size() <= kMaxLine;
  }

 private:
  std::string rest_;
};

}  // namespace patchbay::kube
