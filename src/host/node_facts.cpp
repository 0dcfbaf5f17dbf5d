#include "host/node_facts.h"

#include <algorithm>
#include <cstdlib>
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
  NodeFacts facts;
  for (const std::string& path : query.files) {
    if (auto content = root.read_file(path)) facts.files.emplace(path, *std::move(content));
  }
  for (const std::string& pattern : query.globs) {
    const GlobFound found = GlobPattern(pattern, root).find();
    if (finds_something(found, root)) {
      facts.globs.push_back(pattern);
    } else if (!found.cut.empty()) {
      facts.unknown_globs.emplace(pattern, found.cut);
    }
  }
  for (const std::string& name : query.variables) {
    if (const char* value = std::getenv(name.c_str())) facts.variables.emplace(name, value);
  }
  return facts;
}

}  // namespace patchbay::host
