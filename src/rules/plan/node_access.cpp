#include "rules/plan/node_access.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::rules {
namespace {

/// The kernel's -1 is not a user.
constexpr uint32_t kMaxId = 0xFFFF'FFFE;
constexpr size_t kModeDigits = 4;  // "0660"
constexpr int kOctal = 8;

using Written = config::Located<std::string>;

std::string as_mode(uint32_t mode) { return fmt::format("0{:03o}", mode); }

bool is_mode(std::string_view text) {
  return text.size() == kModeDigits && text.starts_with('0') &&
         text.find_first_not_of("01234567") == std::string_view::npos;
}

std::optional<uint32_t> read_mode(const std::optional<Written>& written,
                                  config::Diagnostics& diagnostics) {
  if (!written) return std::nullopt;
  if (is_mode(written->value)) return parse_whole<uint32_t>(written->value, kOctal);
  diagnostics.error(written->at, fmt::format("bad mode '{}'", printable(written->value)),
                    "write four octal digits in quotes, for example \"0660\"");
  return std::nullopt;
}

std::optional<uint32_t> read_id(const std::optional<Written>& written, std::string_view key,
                                config::Diagnostics& diagnostics) {
  if (!written) return std::nullopt;
  const auto id = parse_whole<uint32_t>(written->value);
  if (id && *id <= kMaxId) return id;
  diagnostics.error(
      written->at, fmt::format("bad {} '{}'", key, printable(written->value)),
      fmt::format("write a number from 0 to {}: names are known only in the image", kMaxId));
  return std::nullopt;
}

}  // namespace

std::string NodeAccess::to_text() const {
  std::string text;
  if (mode) text += ", mode " + as_mode(*mode);
  if (uid) text += fmt::format(", uid {}", *uid);
  if (gid) text += fmt::format(", gid {}", *gid);
  return text;
}

std::optional<NodeAccess> compile_access(const config::DeviceEntrySpec& spec, EditsIn edits_in,
                                         config::Diagnostics& diagnostics) {
  const NodeAccess access{.mode = read_mode(spec.mode, diagnostics),
                          .uid = read_id(spec.uid, "uid", diagnostics),
                          .gid = read_id(spec.gid, "gid", diagnostics)};
  bool good = access.mode.has_value() == spec.mode.has_value() &&
              access.uid.has_value() == spec.uid.has_value() &&
              access.gid.has_value() == spec.gid.has_value();
  const bool writes_cdi = edits_in == EditsIn::unit_spec;
  if (edits_in == EditsIn::claim_spec || (writes_cdi && !spec.optional.value)) {
    return good ? std::optional(access) : std::nullopt;
  }
  const auto report = [&](const std::optional<Written>& written, std::string_view key) {
    if (!written) return;
    good = false;
    diagnostics.error(
        written->at,
        fmt::format("'{}' needs {}: the kubelet does not pass the {} of a node", key,
                    writes_cdi ? "optional: false" : "cdi: write", key),
        fmt::format("{}; or give the Pod the group of the host's node: "
                    "securityContext: {{supplementalGroups: [{}]}}",
                    writes_cdi ? "remove optional: an optional node is not in the CDI spec"
                               : "write cdi: write in the group",
                    access.gid ? fmt::to_string(*access.gid) : "GID"));
  };
  report(spec.mode, "mode");
  report(spec.uid, "uid");
  report(spec.gid, "gid");
  return good ? std::optional(access) : std::nullopt;
}

}  // namespace patchbay::rules
