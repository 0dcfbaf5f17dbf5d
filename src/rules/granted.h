#pragma once

#include <span>
#include <string_view>

namespace patchbay::rules {

/// What the Pod of deploy/patchbay.yaml has of the host, and what its image has: what a
/// configuration asks beyond that is a Need. A test compares the tables with the manifest.

/// A directory that is mounted, at the same place as on the host.
struct GrantedMount {
  std::string_view path;
  bool writable = false;
};
[[nodiscard]] std::span<const GrantedMount> granted_mounts();

/// The variables of the manifest, and those that a runtime and the kubelet set in any container.
[[nodiscard]] std::span<const std::string_view> granted_variables();
[[nodiscard]] bool is_granted_variable(std::string_view name);

/// Programs that probes and steps often run and that each Debian has, without their directory: the
/// image is made of one.
[[nodiscard]] std::span<const std::string_view> granted_programs();
/// Of a whole path.
[[nodiscard]] bool is_granted_program(std::string_view path);

/// Whether it is that directory or below it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

}  // namespace patchbay::rules
