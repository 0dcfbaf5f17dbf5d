#pragma once

#include <expected>
#include <string>
#include <system_error>
#include <utility>

namespace patchbay {

/// A failure of the environment, such as a file, a device or the kubelet, described for the user.
/// Mistakes in a configuration are config::Diagnostics, because each one has a position.
struct Error {
  std::string message;
  int number = 0;  ///< The errno. 0: no errno.
};

/// A value, or the Error that explains why there is none. To pass an Error on, write `return
/// std::unexpected(std::move(r).error())`.
template <typename T>
using Result = std::expected<T, Error>;

/// Makes an Error, which a function of any Result type can return.
inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// Makes an Error from another one, with the failed action before its message: "what: why".
inline std::unexpected<Error> fail(const std::string& what, const Error& error) {
  return std::unexpected(Error{what + ": " + error.message, error.number});
}

/// Makes an Error from an errno: "what: No such file or directory".
inline std::unexpected<Error> fail_errno(const std::string& what, int error_number) {
  return std::unexpected(
      Error{what + ": " + std::generic_category().message(error_number), error_number});
}

}  // namespace patchbay
