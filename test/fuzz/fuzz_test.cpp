#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/targets.h"

/// Runs the fuzz targets without a fuzzer: their seeds, earlier findings, and variants of each. A
/// failing target ends the process.
namespace patchbay::fuzz {
namespace {

struct Target {
  const char* name;
  void (*examine)(std::string_view data);
  /// More directories with seeds, besides test/fuzz/seeds/NAME and test/fuzz/found/NAME.
  std::vector<std::string> more_seeds{};
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = {
      {"config", examine_config, {"examples/configs", "test/golden/config", "test/rules/golden"}},
      {"condition", examine_condition},
      {"template", examine_template},
      {"device", examine_device},
      {"machine", examine_machine, {"test/hardware/machines"}},
      {"request", examine_request},
      {"http", examine_http},
  };
  return targets;
}

std::vector<std::filesystem::path> files_of(const Target& target) {
  std::vector<std::string> directories = target.more_seeds;
  for (const char* kind : {"seeds", "found"}) {
    directories.push_back(std::string("test/fuzz/") + kind + "/" + target.name);
  }
  std::vector<std::filesystem::path> files;
  for (const std::string& directory : directories) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(directory, missing)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class FuzzTargetTest : public testing::TestWithParam<Target> {};

TEST_P(FuzzTargetTest, PassesForSeeds) {
  const auto files = files_of(GetParam());
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    GetParam().examine(content_of(file));
  }
}

TEST_P(FuzzTargetTest, PassesForTruncatedAndCorruptSeeds) {
  GetParam().examine({});
  for (const auto& file : files_of(GetParam())) {
    std::string content = content_of(file);
    GetParam().examine(std::string_view(content).substr(0, content.size() / 2));
    for (const char byte : {'\0', '\n', '$', '-', '\x9b'}) {
      if (content.size() < 8) continue;
      content[content.size() * 2 / 3] = byte;
      GetParam().examine(content);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTargetTest, testing::ValuesIn(all_targets()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace patchbay::fuzz
