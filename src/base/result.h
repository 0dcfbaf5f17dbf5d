#pragma once

#include <expected>
#include <string>
#include <system_error>
#include <utility>

namespace patchbay {

/// A failure of the environment (a file, a device, the kubelet), in words for people. Mistakes in a
/// configuration are config::Diagnostics instead: a run may have many, each with a position.
struct Error {
  std::string message;
  int number = 0;  ///< The errno. 0: none.
};

/// A value, or the reason why it is missing. Propagate by hand: `return
/// std::unexpected(std::move(r).error())`.
template <typename T>
using Result = std::expected<T, Error>;

/// An Error to return from a function of any Result type.
inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// `error` with the failed action in front: "what: why".
inline std::unexpected<Error> fail(const std::string& what, const Error& error) {
  return std::unexpected(Error{what + ": " + error.message, error.number});
}

/// "what: No such file or directory" from an errno.
inline std::unexpected<Error> fail_errno(const std::string& what, int error_number) {
  return std::unexpected(
      Error{what + ": " + std::generic_category().message(error_number), error_number});
}

}  // namespace patchbay
