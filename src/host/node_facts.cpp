#include "host/node_facts.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "host/glob_pattern.h"
#include "host/host_files.h"

namespace patchbay::host {
namespace {

/// A link that leads nowhere is not found by `glob:` either.
bool finds_something(const std::string& pattern, const std::string& root) {
  return std::ranges::any_of(GlobPattern(pattern, root).list(), [&](const std::string& path) {
    return ::access((root + path).c_str(), F_OK) == 0;
  });
}

}  // namespace

NodeFacts read_node_facts(const NodeQuery& query, const std::string& root) {
  NodeFacts facts;
  for (const std::string& path : query.files) {
    if (auto content = read_host_file(root + path)) facts.files.emplace(path, *std::move(content));
  }
  for (const std::string& pattern : query.globs) {
    if (finds_something(pattern, root)) facts.globs.push_back(pattern);
  }
  return facts;
}

}  // namespace patchbay::host
