#include "cli/commands/test_cases.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::cli {
namespace {

namespace fs = std::filesystem;

bool has_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// "tests" for "./tests/".
fs::path without_slash(const std::string& given) {
  const fs::path path = fs::path(given).lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

/// Adds the cases of a directory. `config` is the configuration of the directories above.
Result<void> add_cases(const fs::path& directory, std::string config,
                       std::vector<TestCase>& cases) {
  if (has_file(directory / kCaseConfig)) config = directory / kCaseConfig;
  std::error_code error;
  if (has_file(directory / kCaseMachine)) {
    cases.push_back({.name = {},
                     .directory = directory,
                     .node = fs::canonical(directory, error).filename(),
                     .config = config});
  }
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown_type;
    if (entry->path().filename().native().starts_with('.')) continue;
    if (!fs::is_directory(entry->symlink_status(unknown_type))) continue;
    if (auto added = add_cases(entry->path(), config, cases); !added) return added;
  }
  if (error) return fail_errno(printable(directory.native(), 500), error.value());
  return {};
}

}  // namespace

std::string case_file(const TestCase& test_case, const char* name) {
  return fs::path(test_case.directory) / name;
}

Result<void> check_case_file(const TestCase& test_case, const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  const std::string shown = printable(path, 500);
  const fs::path file = fs::canonical(path, error);
  if (error) return fail_errno(shown, error.value());
  if (!file.native().starts_with(test_case.top + '/')) {
    return fail(shown + " is a link out of the directory with the cases");
  }
  if (!fs::is_regular_file(file, error)) return fail(shown + " is not a file");
  return {};
}

Result<std::vector<TestCase>> find_cases(const std::vector<std::string>& directories) {
  std::vector<TestCase> all;
  for (const std::string& given : directories) {
    const fs::path directory = without_slash(given);
    std::vector<TestCase> cases;
    if (auto added = add_cases(directory, {}, cases); !added) {
      return std::unexpected(std::move(added).error());
    }
    if (cases.empty()) {
      return fail(
          fmt::format("{} contains no case: a case is a directory with {}, the output of "
                      "`patchbay snapshot`",
                      printable(given, 500), kCaseMachine));
    }
    std::error_code error;
    for (TestCase& one : cases) {
      one.top = fs::canonical(directory, error);
      const fs::path below = fs::path(one.directory).lexically_relative(directory);
      one.name = directories.size() > 1 ? one.directory : below == "." ? one.node : below.native();
    }
    std::ranges::sort(cases, NaturalLess{}, &TestCase::name);
    std::ranges::move(cases, std::back_inserter(all));
  }
  return all;
}

}  // namespace patchbay::cli
