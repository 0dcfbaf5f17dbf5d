#include "host/node_facts.h"

#include <algorithm>
#include <utility>

#include "host/glob_pattern.h"

namespace patchbay::host {
namespace {

/// A link that leads nowhere is not found by `glob:` either.
bool finds_something(const GlobFound& found, const HostRoot& root) {
  return std::ranges::any_of(found.paths,
                             [&](const std::string& path) { return root.exists(path); });
}

}  // namespace

NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root) {
  std::map<std::string, std::string> unknown;
  return read_node_facts(query, root, unknown);
}

NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root,
                          std::map<std::string, std::string>& unknown) {
  NodeFacts facts;
  for (const std::string& path : query.files) {
    if (auto content = root.read_file(path)) facts.files.emplace(path, *std::move(content));
  }
  for (const std::string& pattern : query.globs) {
    const GlobFound found = GlobPattern(pattern, root).find();
    if (finds_something(found, root)) {
      facts.globs.push_back(pattern);
    } else if (!found.cut.empty()) {
      unknown[pattern] = found.cut;
    }
  }
  return facts;
}

}  // namespace patchbay::host
