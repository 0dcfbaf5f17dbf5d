#pragma once

#include <sys/stat.h>

#include <string>

#include "fake/temp_dir.h"

namespace patchbay::fake {

/// Writes an executable shell script and returns its path.
inline std::string write_program(const TempDir& dir, const std::string& name,
                                 const std::string& script) {
  std::string path = dir.write(name, "#!/bin/sh\n" + script);
  ::chmod(path.c_str(), 0755);
  return path;
}

}  // namespace patchbay::fake
