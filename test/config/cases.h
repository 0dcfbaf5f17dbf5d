#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/diagnostics.h"
#include "fake/golden.h"

/// Reads files of test cases: small configurations, each with its expected diagnostics. The format
/// of a case:
///
///   === KIND: title
///   the lines that KIND completes to the file lab.yaml
///   --- output
///   the diagnostics as printed
///
/// A case without diagnostics has no line `--- output`. PATCHBAY_UPDATE_GOLDEN=1 writes the
/// diagnostics; check the diff.
namespace patchbay::config {

/// Reads or compiles the file lab.yaml with this text.
using Examine = std::function<Diagnostics(const std::string& text)>;

struct ConfigCase {
  std::string title;  ///< "KIND: title"
  std::string fragment;
  std::string expected;
};

/// The whole file of a case: the beginning that its kind needs, then its fragment. The test fails
/// if the kind is unknown.
inline std::string whole_file(const ConfigCase& one) {
  struct Head {
    std::string text;
    std::string indentation;
  };
  const std::string config = "apiVersion: patchbay/v1\nkind: Config\n";
  const std::string resource = config + "resources:\n  - name: lab.example.com/x\n";
  const std::map<std::string, Head, std::less<>> heads{
      {"file", {"", ""}},
      {"top", {config, ""}},
      {"resources", {config + "defaults: {domain: example.com}\nresources:\n", ""}},
      {"resource", {resource, "    "}},
      {"match", {resource + "    match:\n", "      "}},
      {"unit", {resource + "    match: {subsystem: tty}\n", "    "}},
      {"dra",
       {config + "dra: {driver: dra.example.com}\nresources:\n  - name: lab.example.com/x\n" +
            "    match: {subsystem: tty}\n    serve: dra\n",
        "    "}},
  };
  const auto head = heads.find(one.title.substr(0, one.title.find(':')));
  if (head == heads.end()) {
    ADD_FAILURE() << "unknown kind: " << one.title;
    return {};
  }
  std::string text = head->second.text;
  std::istringstream lines(one.fragment);
  for (std::string line; std::getline(lines, line);) {
    text += head->second.indentation + line + '\n';
  }
  return text;
}

inline std::vector<ConfigCase> read_cases(const std::filesystem::path& path) {
  std::istringstream in(fake::read_text(path));
  std::vector<ConfigCase> cases;
  bool printed = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}});
      printed = false;
    } else if (line == "--- output") {
      printed = true;
    } else if (!cases.empty()) {
      (printed ? cases.back().expected : cases.back().fragment) += line + '\n';
    }
  }
  return cases;
}

/// Compares the diagnostics of each case in a file with its expected output. Also expects the text
/// `severity` in each output, and a position and a hint in each diagnostic.
inline void expect_cases(const std::filesystem::path& path, std::string_view severity,
                         const Examine& examine) {
  const bool update = std::getenv("PATCHBAY_UPDATE_GOLDEN") != nullptr;
  const std::vector<ConfigCase> cases = read_cases(path);
  ASSERT_FALSE(cases.empty());
  std::string updated;
  for (const ConfigCase& one : cases) {
    SCOPED_TRACE(one.title);
    const Diagnostics diagnostics = examine(whole_file(one));
    const std::string printed = render(diagnostics);
    EXPECT_NE(printed.find(severity), std::string::npos);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      EXPECT_GE(diagnostic.at.line, 1) << diagnostic.message;
      EXPECT_GE(diagnostic.at.column, 1) << diagnostic.message;
      EXPECT_NE(diagnostic.hint, "") << diagnostic.message;
    }
    if (!update) {
      EXPECT_EQ(printed, one.expected);
    }
    updated += "=== " + one.title + '\n' + one.fragment;
    if (!printed.empty()) updated += "--- output\n" + printed;
  }
  if (update) std::ofstream(path, std::ios::binary) << updated;
}

}  // namespace patchbay::config
