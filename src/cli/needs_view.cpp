#include "cli/needs_view.h"

#include <string_view>

#include <fmt/format.h>

#include "cli/manifest_patch.h"
#include "cli/table.h"

namespace patchbay::cli {
namespace {

struct KindText {
  std::string_view word;     ///< For programs.
  std::string_view heading;  ///< For people.
};

KindText text_of(rules::Need::Kind kind) {
  switch (kind) {
    case rules::Need::Kind::mount:
      return {"mount", "A mount: the Pod sees no other paths of the host"};
    case rules::Need::Kind::writable:
      return {"writableMount", "A writable mount: something is written there"};
    case rules::Need::Kind::privileged:
      return {"privileged", "A privileged container: no other may do this"};
    case rules::Need::Kind::net_admin:
      return {"netAdmin",
              "The capability NET_ADMIN: the kernel asks it of who changes network interfaces"};
    case rules::Need::Kind::host_network:
      return {"hostNetwork", "The network of the host: the Pod has its own"};
    case rules::Need::Kind::host_pid:
      return {"hostPID", "The processes of the host: the Pod has its own /proc/1"};
    case rules::Need::Kind::variable:
      return {"env", "A variable: the container's environment has none of that name"};
    case rules::Need::Kind::program:
      return {"program", "A program: in the image, or in a directory that is mounted"};
    case rules::Need::Kind::hidden:
      return {"hidden", "Another path: container runtimes hide the host's"};
  }
  return {};
}

std::string file_of_need(const rules::Need& need) {
  return need.at.source ? need.at.source->name : "";
}

}  // namespace

std::string needs_text(std::span<const rules::Need> needs) {
  if (needs.empty()) return "";
  std::string out = "\nBeyond deploy/patchbay.yaml, in a Pod this needs:\n";
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
  const Json patch = manifest_patch(needs);
  if (patch.is_null()) return out;
  return out + "\nAs a patch: kubectl -n patchbay patch daemonset patchbay --patch-file FILE\n\n" +
         yaml_text(patch);
}

Json needs_json(std::span<const rules::Need> needs) {
  Json list = Json::array();
  for (const rules::Need& need : needs) {
    list.push_back({{"kind", text_of(need.kind).word},
                    {"file", file_of_need(need)},
                    {"line", need.at.line},
                    {"column", need.at.column},
                    {"what", need.what},
                    {"hint", need.hint}});
  }
  return list;
}

}  // namespace patchbay::cli
