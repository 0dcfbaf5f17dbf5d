#pragma once

#include <filesystem>
#include <string>

#include "fake/temp_dir.h"

namespace patchbay::fake {

/// The resource of the gophers.
inline constexpr const char* kGopher = "example.com/gopher";

/// Devices without hardware: files in a directory. Each file is a unit with its name.
class Gophers {
 public:
  explicit Gophers(const TempDir& dir) : dir_(dir) {}

  void plug(const std::string& name) const { dir_.write("gophers/" + name, ""); }
  void unplug(const std::string& name) const {
    std::filesystem::remove(dir_ / ("gophers/" + name));
  }

  [[nodiscard]] std::string config(const std::string& more = "") const {
    return "apiVersion: patchbay/v1\nkind: Config\n"
           "defaults: {linger: 1h}\n"
           "resources:\n"
           "  - name: example.com/gopher\n"
           "    match: {glob: " +
           (dir_ / "gophers/*") +
           ", type: file}\n"
           "    id: $(name)\n"
           "    envs: {Gopher: $(id)}\n" +
           more;
  }

 private:
  const TempDir& dir_;
};

}  // namespace patchbay::fake
