#include "base/unix_address.h"

#include <algorithm>
#include <iterator>

namespace patchbay {

Result<UnixAddress> UnixAddress::of(const std::string& path) {
  if (path.size() > kMaxSocketPath) {
    return fail("socket path " + path + " has " + std::to_string(path.size()) +
                " bytes, a unix socket takes " + std::to_string(kMaxSocketPath));
  }
  UnixAddress address;
  address.address_.sun_family = AF_UNIX;
  std::ranges::copy(path, std::begin(address.address_.sun_path));
  return address;
}

}  // namespace patchbay
