#pragma once

#include <cstdlib>

/// Makes a test program use a UTF-8 locale, whatever its environment says.
namespace patchbay::fake {

inline const bool kUtf8Locale = setenv("LC_ALL", "C.UTF-8", 1) == 0;

}  // namespace patchbay::fake
