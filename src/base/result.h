#pragma once

#include <expected>
#include <string>
#include <utility>

namespace patchbay {

/// What went wrong in the world (a file, a device, the kubelet), in words for people. Mistakes in a
/// config are config::Diagnostics instead, because there are many per run and each has a position.
struct Error {
  std::string message;
  int number = 0;  ///< The errno; 0: it is of none.
};

/// A value, or why there is none. Propagate by hand: `return
/// std::unexpected(std::move(r).error())`.
template <typename T>
using Result = std::expected<T, Error>;

/// An Error to return from a function of any Result type.
inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// `error` with what was being done put before it: "what: why".
inline std::unexpected<Error> fail(const std::string& what, const Error& error) {
  return std::unexpected(Error{what + ": " + error.message, error.number});
}

/// "what: No such file or directory" from an errno.
std::unexpected<Error> fail_errno(const std::string& what, int error_number);

}  // namespace patchbay
