#include <array>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "rules/lint/text_advice.h"
#include "rules/text/kernel_names.h"
#include "rules/text/pattern_text.h"

namespace patchbay::rules {
namespace {

/// A literal path in `devices` that is not a device node.
std::optional<Advice> no_node(std::string_view path) {
  static const re2::RE2 elsewhere(R"((?:/sys|/proc|/etc|/usr|/opt|/lib|/lib64)/.*)");
  static const re2::RE2 file(R"(.*\.(?:sock|so|so\.[0-9.]+|json|ya?ml|conf|sh|bin))");
  const bool syspath = path.starts_with("$(syspath)");
  const bool directory = is_known_directory(path);
  const re2::StringPiece text(path.data(), path.size());
  if (!syspath && !directory && !re2::RE2::FullMatch(text, elsewhere) &&
      !re2::RE2::FullMatch(text, file)) {
    return std::nullopt;
  }
  return Advice{
      .message = fmt::format("no container can get '{}' as a device: it is {}, not a device node",
                             path, directory ? "a directory" : "a file or a directory"),
      .hint = fmt::format(
          "write mounts: [{{hostPath: {}}}]{}", path,
          directory ? ", and list each node that the container opens in devices:" : "")};
}

std::string_view wildcard_hint(TextRole role) {
  switch (role) {
    case TextRole::device_path:
    case TextRole::mount_path:
      return "to find paths write match: {glob: …} and $(path); to find device nodes write match: "
             "{subsystem: …} and $(devnode)";
    case TextRole::container_path:
      return "for a different path per unit write $(name), $(id) or $(slot)";
    default:
      return "write the whole path, with $(…) for the text that depends on the device";
  }
}

}  // namespace

std::optional<Advice> unlikely_path(std::string_view path, TextRole role) {
  if (role == TextRole::device_path) {
    if (auto advice = no_node(path)) return advice;
  }
  static const re2::RE2 wildcard(R"((\*|\?|\[[^\]/]+-[^\]/]+\]|\{[^{}/]*,[^{}]*\}))");
  const std::string literal = without_variables(path);
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(literal, wildcard, &found)) {
    return std::nullopt;
  }
  const auto offset = static_cast<size_t>(found.data() - literal.data());
  return Advice{.offset = offset,
                .message = fmt::format("'{}' is one path: '{}' is not expanded", path,
                                       std::string_view(found.data(), found.size())),
                .hint = std::string(wildcard_hint(role))};
}

}  // namespace patchbay::rules
