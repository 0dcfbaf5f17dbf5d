#pragma once

#include <cstdlib>

/// Has a test program print as in a locale with UTF-8, whatever the environment says.
namespace patchbay::fake {

inline const bool kUtf8Locale = setenv("LC_ALL", "C.UTF-8", 1) == 0;

}  // namespace patchbay::fake
