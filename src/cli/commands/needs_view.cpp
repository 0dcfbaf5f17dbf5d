#include "cli/commands/needs_view.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/manifest_patch.h"
#include "cli/terminal/table.h"
#include "rules/needs/granted.h"

namespace patchbay::cli {
namespace {

struct KindText {
  std::string_view word;     ///< For programs.
  std::string_view heading;  ///< For people.
};

KindText text_of(rules::Need::Kind kind) {
  switch (kind) {
    case rules::Need::Kind::mount:
      return {"mount", "A mount: the Pod sees only mounted paths of the host"};
    case rules::Need::Kind::writable:
      return {"writableMount", "A writable mount: Patchbay writes there"};
    case rules::Need::Kind::privileged:
      return {"privileged", "A privileged container: other containers have no permission for this"};
    case rules::Need::Kind::net_admin:
      return {"netAdmin",
              "The capability NET_ADMIN: the kernel requires it for changes of network interfaces"};
    case rules::Need::Kind::host_network:
      return {"hostNetwork", "The host's network: the Pod has its own"};
    case rules::Need::Kind::host_pid:
      return {"hostPID", "The host's processes: the Pod has its own /proc/1"};
    case rules::Need::Kind::variable:
      return {"env", "An environment variable: the container does not have it"};
    case rules::Need::Kind::program:
      return {"program", "A program: it must be in the image or in a mounted directory"};
    case rules::Need::Kind::hidden:
      return {"hiddenPath", "Another path: container runtimes hide this one"};
  }
  return {};
}

std::string file_of_need(const rules::Need& need) {
  return need.at.source ? need.at.source->name : "";
}

}  // namespace

std::string needs_text(std::span<const rules::Need> needs,
                       std::span<const config::DaemonSet> daemons) {
  if (needs.empty()) return "";
  std::vector<std::string> names;
  for (const config::DaemonSet& one : daemons) names.push_back("the DaemonSet " + shown(one.name));
  std::string out = fmt::format("\nIn a Pod, this needs more than {} has:\n",
                                names.empty() ? "deploy/patchbay.yaml" : join(names, " or "));
  const rules::Need* before = nullptr;
  for (const rules::Need& need : needs) {
    if (before == nullptr || before->kind != need.kind) {
      out += fmt::format("\n{}\n", text_of(need.kind).heading);
    }
    before = &need;
    out += fmt::format("  {}:{}:{}: {}\n", shown(file_of_need(need)), need.at.line, need.at.column,
                       shown(need.what));
    if (!need.hint.empty()) out += fmt::format("    {}\n", shown(need.hint));
  }
  const auto& first = daemons.empty() ? rules::manifest_daemon_set() : daemons.front();
  const Json patch = manifest_patch(needs, daemons);
  if (patch.is_null()) return out;
  return out + fmt::format(
                   "\nTo apply it as a patch: kubectl -n {} patch daemonset {} --patch-file "
                   "FILE\n\n{}",
                   shown(first.name_space.empty() ? "NAMESPACE" : first.name_space),
                   shown(first.name), yaml_of(patch));
}

Json needs_json(std::span<const rules::Need> needs) {
  Json list = Json::array();
  for (const rules::Need& need : needs) {
    list.push_back({{"kind", text_of(need.kind).word},
                    {"file", file_of_need(need)},
                    {"line", need.at.line},
                    {"column", need.at.column},
                    {"value", need.what},
                    {"hint", need.hint}});
  }
  return list;
}

}  // namespace patchbay::cli
