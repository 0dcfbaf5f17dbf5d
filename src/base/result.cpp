#include "base/result.h"

#include <system_error>

namespace patchbay {

std::unexpected<Error> fail_errno(const std::string& what, int error_number) {
  return std::unexpected(
      Error{what + ": " + std::generic_category().message(error_number), error_number});
}

}  // namespace patchbay
