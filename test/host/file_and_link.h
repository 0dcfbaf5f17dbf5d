#pragma once

#include <filesystem>
#include <string>

#include "fake/temp_dir.h"
#include "model/facts.h"

namespace patchbay::host {

/// A file, a link to it, and a query for both.
struct FileAndLink {
  FileAndLink() {
    std::filesystem::create_symlink(file, link);
    query.wanted = [](const DeviceFacts&) { return WantedFacts{.relevant = true}; };
  }

  fake::TempDir dir;
  std::string file = dir.write("file", "");
  std::string link = dir / "link";
  HostQuery query;
};

}  // namespace patchbay::host
