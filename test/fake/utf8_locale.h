#pragma once

#include <cstdlib>

/// Makes a test program print as in a UTF-8 locale, independent of the environment.
namespace patchbay::fake {

inline const bool kUtf8Locale = setenv("LC_ALL", "C.UTF-8", 1) == 0;

}  // namespace patchbay::fake
