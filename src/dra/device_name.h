#pragma once

#include <string>
#include <string_view>

/// Makes the names of objects in Kubernetes from our names. Pure; any thread.
namespace patchbay::dra {

/// The longest DNS label.
inline constexpr size_t kMaxLabelLength = 63;

/// Returns the name of the DRA device of a unit: `<resource>-<id>-<8 hex digits>`, a DNS label. The
/// beginning is for people. The hash of the full names distinguishes units whose beginnings are
/// equal. A prepared ResourceClaim refers to the name, so the same unit must always get the same
/// name.
[[nodiscard]] std::string device_name(std::string_view resource, std::string_view id);

/// Returns the name of a resource without its domain, as a DNS label: for requests and templates.
[[nodiscard]] std::string request_name(std::string_view resource);

/// Returns the name of the DeviceClass of a resource: "uart.lab.example.com" for
/// "lab.example.com/uart".
[[nodiscard]] std::string device_class_name(std::string_view resource);

}  // namespace patchbay::dra
