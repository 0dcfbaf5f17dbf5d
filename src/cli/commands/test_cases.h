#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace patchbay::cli {

/// The recorded machine of a case, and its configuration if it has its own.
inline constexpr const char* kCaseMachine = "machine.txt";
inline constexpr const char* kCaseConfig = "config.yaml";
/// The expected output of a case.
inline constexpr const char* kCaseExpected = "expected.json";

/// A case of `patchbay test`: a directory with a recorded machine.
struct TestCase {
  std::string name;       ///< Its path below the given directory; that directory's name for itself.
  std::string directory;  ///< Without a trailing slash.
  std::string top{};      ///< The given directory, without links.
  std::string node;       ///< The name of the node: the name of the directory.
  std::string config;  ///< Its configuration, or that of the nearest directory above. Can be empty.
};

/// The path of a file of the case.
[[nodiscard]] std::string case_file(const TestCase& test_case, const char* name);

/// Returns an Error unless the path is empty or leads to a regular file below the given directory.
/// A change that nobody has reviewed can add any link. Blocking.
[[nodiscard]] Result<void> check_case_file(const TestCase& test_case, const std::string& path);

/// Finds the cases of these directories: the directories themselves, and those below without
/// following links. The cases of one directory are in natural order of their names. If there are
/// several directories, names begin with them. Hidden directories are skipped. Returns an Error if
/// a directory cannot be read or there is no case. Blocking.
[[nodiscard]] Result<std::vector<TestCase>> find_cases(const std::vector<std::string>& directories);

}  // namespace patchbay::cli
