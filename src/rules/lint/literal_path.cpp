#include <array>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "rules/lint/text_advice.h"
#include "rules/text/kernel_names.h"
#include "rules/text/pattern_text.h"

namespace patchbay::rules {
namespace {

struct DockerPath {
  std::string host, container, options;
};

/// HOST:CONTAINER, HOST:CONTAINER:OPTIONS or HOST:OPTIONS. Links of udev contain colons, but none
/// before a slash.
std::optional<DockerPath> as_docker_path(const std::string& path) {
  static const re2::RE2 whole("(.*?):(/.*?)(?::([a-zA-Z]+))?");
  static const re2::RE2 options("(.*?):(r|ro|rw|rwm)");
  DockerPath out;
  if (re2::RE2::FullMatch(path, whole, &out.host, &out.container, &out.options)) return out;
  if (re2::RE2::FullMatch(path, options, &out.host, &out.options)) return out;
  return std::nullopt;
}

/// The item in the syntax of Patchbay.
std::string docker_hint(const DockerPath& path, TextRole role) {
  const bool device = role == TextRole::device_path;
  std::string more;
  if (!path.container.empty() && path.container != path.host) {
    more += fmt::format(", containerPath: {}", path.container);
  }
  if (!device && path.options != "ro") more += ", readOnly: false";
  if (device && !path.options.empty() && path.options != "rw") {
    more += fmt::format(", permissions: {}", path.options == "ro" ? "r" : path.options);
  }
  return device && more.empty() ? path.host : fmt::format("{{hostPath: {}{}}}", path.host, more);
}

std::optional<Advice> docker_path(std::string_view path, TextRole role) {
  if (role != TextRole::device_path && role != TextRole::mount_path) return std::nullopt;
  // Only colons in the written text are separators, not colons in variables.
  if (as_docker_path(without_variables(path)) == std::nullopt) return std::nullopt;
  const auto mapping = as_docker_path(std::string(path));
  if (!mapping) return std::nullopt;
  return Advice{
      .offset = mapping->host.size(),
      .message = fmt::format("'{}' is one path of the host: the colons are a part of it", path),
      .hint = "write " + docker_hint(*mapping, role)};
}

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
  if (auto advice = docker_path(path, role)) return advice;
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
