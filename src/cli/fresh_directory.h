#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/result.h"

namespace patchbay::cli {

/// A new directory for sockets, below that of temporary files, which only we can look into. It goes
/// with this object, and all that is in it. One thread.
class FreshDirectory {
 public:
  /// Fails, too, if sockets with names of that length would have too long a path.
  [[nodiscard]] static Result<FreshDirectory> make(size_t longest_name);
  FreshDirectory(FreshDirectory&& other) noexcept;
  FreshDirectory& operator=(FreshDirectory&&) = delete;
  FreshDirectory(const FreshDirectory&) = delete;
  FreshDirectory& operator=(const FreshDirectory&) = delete;
  ~FreshDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit FreshDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  ///< Empty: moved away.
};

}  // namespace patchbay::cli
