#pragma once

#include <unistd.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/golden.h"
#include "fake/gophers.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::cli {

/// The exit code and all output of a command, as one text to compare.
inline std::string text_of(const fake::Finished& end) {
  return "exit " + std::to_string(end.exit_code) + "\n--- out\n" + end.out + "--- err\n" + end.err;
}

/// Runs the program as a process in a temporary directory.
class CliTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;
  using Environment = std::map<std::string, std::string>;

  CliTest() {
    // ordinary_user() must be able to read the directory.
    std::filesystem::permissions(dir_.path(), std::filesystem::perms{0755});
  }

  /// The command line of the program with these arguments.
  static Words patchbay(const Words& arguments, Words before = {}) {
    before.push_back(fake::patchbay_binary());
    before.insert(before.end(), arguments.begin(), arguments.end());
    return before;
  }

  /// A command that runs the command after it as an ordinary user.
  static Words ordinary_user() {
    if (geteuid() != 0) return {};
    return {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
  }

  /// A command that runs the command after it with redirections of the shell, such as "<in.txt".
  static Words redirected(const std::string& redirections) {
    return {"sh", "-c", R"(exec "$0" "$@" )" + redirections};
  }

  [[nodiscard]] fake::Finished run(const Words& arguments,
                                   const Environment& environment = {}) const {
    return relative(fake::run_process(patchbay(arguments), with_node(environment)));
  }
  /// The exit code and all output. Replaces the test's directory by DIR, and each time by a fixed
  /// text.
  [[nodiscard]] std::string output_of(const Words& arguments,
                                      const Environment& environment = {}) const {
    return text_of(run(arguments, environment));
  }

  [[nodiscard]] std::string relative(std::string text) const {
    for (size_t at = text.find(dir_.path()); at != std::string::npos; at = text.find(dir_.path())) {
      text.replace(at, dir_.path().size(), "DIR");
    }
    static const std::regex since(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
    return std::regex_replace(text, since, "YYYY-MM-DDThh:mm:ssZ");
  }
  [[nodiscard]] fake::Finished relative(const fake::Finished& end) const {
    return {.exit_code = end.exit_code, .out = relative(end.out), .err = relative(end.err)};
  }

  static Environment with_node(Environment environment) {
    environment.try_emplace("NODE_NAME", "bench-1");
    environment.try_emplace("LC_ALL", "C.UTF-8");
    return environment;
  }

  fake::TempDir dir_;
  fake::Gophers gophers_{dir_};
};

/// Compares with test/golden/cli/NAME.
inline void expect_golden(const std::string& name, const std::string& text) {
  fake::expect_golden(PATCHBAY_SOURCE_DIR "/test/golden/cli/" + name, text);
}

}  // namespace patchbay::cli
