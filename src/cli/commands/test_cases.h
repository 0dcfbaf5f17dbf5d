#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace patchbay::cli {

/// The files of a case: the recorded machine, an optional configuration, and the expected output.
inline constexpr const char* kCaseMachine = "machine.txt";
inline constexpr const char* kCaseConfig = "config.yaml";
inline constexpr const char* kCaseExpected = "expected.json";

/// A case of `patchbay test`: a directory with a recorded machine.
struct TestCase {
  std::string name;       ///< See find_cases().
  std::string directory;  ///< Without a trailing slash.
  std::string top{};      ///< The directory that the user gave, without links.
  std::string node;       ///< The name of the node: the name of the directory.
  std::string config;     ///< Path of kCaseConfig in the nearest directory that has it, or empty.
};

/// Returns the path of a file of the case.
[[nodiscard]] std::string case_file(const TestCase& test_case, const char* name);

/// Returns an Error unless the path is empty, or leads to a regular file below TestCase::top. So a
/// link in an unreviewed change cannot cause other files to be read. Blocks.
[[nodiscard]] Result<void> check_case_file(const TestCase& test_case, const std::string& path);

/// Finds the cases in the directories and below. It skips links and hidden directories. Returns an
/// Error if a directory cannot be read or contains no case. Blocks.
///
/// The name of a case is its path below the given directory. If the case is the given directory
/// itself, its name is TestCase::node. With several directories, the name is the whole path. The
/// cases of each directory are in natural order of their names.
[[nodiscard]] Result<std::vector<TestCase>> find_cases(const std::vector<std::string>& directories);

}  // namespace patchbay::cli
