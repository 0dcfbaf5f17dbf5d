#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/assignments_view.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/status_view.h"

namespace patchbay::cli {
namespace {

/// The paths of the configuration: ", from /etc/patchbay", without the files inside of a directory.
std::string config_paths(const Json& configuration) {
  constexpr size_t kShown = 3;
  std::vector<std::string> paths;
  for (const Json& file : field_at(configuration, "files")) {
    const std::string path = file.is_string() ? file.get<std::string>() : std::string();
    const auto is_inside = [&](const std::string& other) { return path.starts_with(other + "/"); };
    if (!path.empty() && std::ranges::none_of(paths, is_inside)) paths.push_back(path);
  }
  std::string text;
  for (size_t at = 0; at < std::min(paths.size(), kShown); ++at) {
    text += (at == 0 ? ", from " : ", ") + shown(paths[at]);
  }
  if (paths.size() > kShown) text += fmt::format(" and {} more", paths.size() - kShown);
  return text;
}

/// The mistakes of the rejected edit, as lines of `patchbay validate`, with a limit.
std::vector<std::string> rejection_lines(const Json& status, const Json& refused) {
  constexpr size_t kMost = 20;
  const std::string reason = text_at(refused, "reason");
  const auto lines = split(trim_end(reason), '\n');
  std::string first =
      fmt::format("an edit was rejected {} ago:", age(status, text_at(refused, "since")));
  if (lines.size() == 1) return {first + " " + shown(reason)};
  std::vector<std::string> out{std::move(first)};
  for (size_t at = 0; at < std::min(lines.size(), kMost); ++at) {
    out.push_back(shown(std::string(lines[at])));
  }
  if (lines.size() > kMost) out.push_back(fmt::format("and {} more lines", lines.size() - kMost));
  return out;
}

}  // namespace

std::string status_head(const Json& status, const StatusLayout& layout) {
  const Json& program = field_at(status, "program");
  const Json& configuration = field_at(status, "configuration");
  const Json& kubelet = field_at(status, "kubelet");
  std::vector<std::pair<std::string, Cell>> lines;
  lines.emplace_back("NODE", shown(text_at(status, "node")) + ", up " +
                                 age(status, text_at(program, "since")) + ", patchbay " +
                                 shown(text_at(program, "version")) + ", kernel " +
                                 shown(text_at(program, "kernel")));
  std::string holds = fmt::format("generation {} since {}", number_at(configuration, "generation"),
                                  age(status, text_at(configuration, "since")));
  if (!flag_at(configuration, "watched")) holds += ", not watched";
  holds += config_paths(configuration);
  lines.emplace_back("CONFIG", holds);
  if (const Json& refused = field_at(configuration, "rejected"); !refused.empty()) {
    for (std::string& line : rejection_lines(status, refused)) {
      lines.emplace_back("", Cell(std::move(line), Style::bad));
    }
  }
  if (flag_at(configuration, "unresponsive")) {
    lines.emplace_back(
        "", Cell("cannot be read: its file system is unresponsive, or no worker thread is free",
                 Style::bad));
  }
  if (flag_at(kubelet, "reachable")) {
    lines.emplace_back("KUBELET", Cell("reachable", Style::good));
  } else {
    lines.emplace_back("KUBELET", Cell(fmt::format("unreachable since {}: {}",
                                                   age(status, text_at(kubelet, "since")),
                                                   shown(text_at(kubelet, "reason"))),
                                       Style::warning));
  }
  for (const Json& source : field_at(status, "eventSources")) {
    const std::string degraded = text_at(source, "degradedReason");
    if (degraded.empty()) continue;
    lines.emplace_back(
        "EVENTS", Cell(shown(text_at(source, "source")) + ": " + shown(degraded), Style::warning));
  }
  if (const auto holders = pod_resources_cell(status)) lines.emplace_back("PODS", *holders);
  std::string text;
  for (const auto& [name, value] : lines) {
    text += fmt::format("{:<9}{}\n", name, colored(value.text, value.style, layout.table.color));
  }
  return text;
}

}  // namespace patchbay::cli
