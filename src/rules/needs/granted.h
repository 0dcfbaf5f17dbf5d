#pragma once

#include <span>
#include <string_view>

namespace patchbay::rules {

/// The access to the host of the Pod in deploy/patchbay.yaml, and the content of its image. Any
/// further request of a configuration is a Need. A test compares the tables with the manifest.

/// A directory that is mounted at the same path as on the host.
struct GrantedMount {
  std::string_view path;
  bool writable = false;
};
[[nodiscard]] std::span<const GrantedMount> granted_mounts();

/// The variables of the manifest, and the variables that a runtime and the kubelet set in each
/// container.
[[nodiscard]] std::span<const std::string_view> granted_variables();
[[nodiscard]] bool is_granted_variable(std::string_view name);

/// Names of programs that probes and steps often run. Each Debian has them, and the image is based
/// on Debian.
[[nodiscard]] std::span<const std::string_view> granted_programs();
/// Whether the image has the program with this full path.
[[nodiscard]] bool is_granted_program(std::string_view path);

/// Whether the path is the directory or below it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

}  // namespace patchbay::rules
