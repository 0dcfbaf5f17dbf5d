#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {

/// The result of reading a file.
struct Read {
  Spec spec;
  std::string printed;  ///< Text of the diagnostics.
};

inline Read read(std::string text) {
  Diagnostics diagnostics;
  Spec spec =
      read_spec(std::make_shared<const Source>(Source{"a.yaml", std::move(text)}), diagnostics);
  return {std::move(spec), render(diagnostics)};
}

/// The text of a file with one resource. `lines` are its keys, indented by four; they begin in line
/// 5.
inline std::string resource(const std::string& lines) {
  return "apiVersion: patchbay/v1\nkind: Config\nresources:\n  - name: a.example.com/b\n" + lines;
}

/// The first resource of a valid file.
inline ResourceSpec first_resource(const Read& file) {
  EXPECT_EQ(file.printed, "");
  return file.spec.resources.empty() ? ResourceSpec{} : file.spec.resources[0];
}

/// The only group of a resource.
inline GroupSpec only_group(const ResourceSpec& spec) {
  return spec.groups.size() == 1 ? spec.groups[0] : GroupSpec{};
}

/// The resource with these keys, indented by four.
inline ResourceSpec read_resource(const std::string& lines) {
  return first_resource(read(resource(lines)));
}

inline GroupSpec read_group(const std::string& lines) { return only_group(read_resource(lines)); }

template <typename T>
std::vector<T> values(const std::vector<Located<T>>& located) {
  std::vector<T> out;
  for (const auto& one : located) out.push_back(one.value);
  return out;
}

/// The position as "line:column".
inline std::string position_text(const Position& at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace patchbay::config
