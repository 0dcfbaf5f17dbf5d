#include "config/foreign_words.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "config/keys.h"
#include "config/value_reader.h"

namespace patchbay::config {
namespace {

/// The keys that are valid in a block. Those of a resource include the keys of a group.
std::vector<std::string_view> keys_in(std::string_view block) {
  auto names = key_names(block);
  if (block == "resource") std::ranges::copy(key_names("group"), std::back_inserter(names));
  return names;
}

TEST(ForeignKeys, ReplacementsAreExistingKeys) {
  for (const ForeignKey& foreign : foreign_keys()) {
    EXPECT_FALSE(foreign.replacement.empty() && foreign.hint.empty()) << foreign.words;
    for (const std::string_view block : split(foreign.blocks, ' ')) {
      const auto names = keys_in(block);
      EXPECT_FALSE(names.empty()) << "no block " << block;
      if (foreign.replacement.empty()) continue;
      EXPECT_TRUE(std::ranges::find(names, foreign.replacement) != names.end())
          << foreign.replacement << " in " << block;
    }
  }
}

TEST(ForeignKeys, ForeignKeysAreUniqueAndDifferFromOurKeys) {
  std::set<std::pair<std::string_view, std::string>> seen;
  for (const ForeignKey& foreign : foreign_keys()) {
    for (const std::string_view block : split(foreign.blocks, ' ')) {
      for (const std::string_view word : split(foreign.words, ' ')) {
        EXPECT_TRUE(seen.emplace(block, normalise_word(word)).second) << word << " in " << block;
        for (const std::string_view key : keys_in(block)) {
          EXPECT_NE(normalise_word(key), normalise_word(word)) << "in " << block;
        }
      }
    }
  }
}

TEST(ForeignKeys, ForeignKeysAreFoundInAnySpelling) {
  for (const std::string_view word : {"mountPath", "mount_path", "MOUNT-PATH", "mountpath"}) {
    ASSERT_NE(find_foreign_key("mount", word), nullptr) << word;
    EXPECT_EQ(find_foreign_key("mount", word)->replacement, "containerPath");
  }
  EXPECT_EQ(find_foreign_key("mount", "mountPaths"), nullptr);
  EXPECT_EQ(find_foreign_key("share", "mountPath"), nullptr);
}

}  // namespace
}  // namespace patchbay::config
