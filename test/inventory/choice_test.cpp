#include "inventory/choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace patchbay::inventory {
namespace {

using rules::Preference;
using Counts = std::vector<size_t>;
using Preferences = std::vector<Preference>;
using Candidates = std::vector<Candidate>;

Candidate unit_at(const std::string& syspath, std::vector<int> nodes = {}) {
  return {.nodes = std::move(nodes), .syspath = syspath, .free = 1, .taken = 0, .used = 0};
}

Candidate with_shares(size_t free, size_t used, std::vector<int> nodes = {}) {
  return {.nodes = std::move(nodes), .syspath = {}, .free = free, .taken = 0, .used = used};
}

TEST(ChoiceClosest, PrefersSwitchOverRootPortOverHostBridge) {
  const std::string port = "/sys/devices/pci0000:00/0000:00:01.0";
  const Candidates candidates{
      unit_at("/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0"),
      unit_at("/sys/devices/pci0000:00/0000:00:02.0/0000:09:00.0"),
      unit_at(port + "/0000:01:00.0/0000:02:00.0/0000:03:00.0"),
      unit_at(port + "/0000:01:00.1"),
      // This device is below the same switch, but deeper. It still counts as near.
      unit_at(port + "/0000:01:00.0/0000:02:01.0/0000:04:00.0/0000:05:01.0/0000:06:00.0"),
  };
  const Preferences closest{Preference::closest};
  EXPECT_EQ(choose_shares(closest, candidates, 2), (Counts{0, 0, 1, 0, 1}));
  EXPECT_EQ(choose_shares(closest, candidates, 3), (Counts{0, 0, 1, 1, 1}));
  EXPECT_EQ(choose_shares(closest, candidates, 4), (Counts{0, 1, 1, 1, 1}));
}

TEST(ChoiceClosest, PrefersUnitsCloseToTakenUnits) {
  Candidates candidates{unit_at("/sys/devices/a/1"), unit_at("/sys/devices/a/2"),
                        unit_at("/sys/devices/b/1"), unit_at("/sys/devices/b/2")};
  candidates[3].taken = std::exchange(candidates[3].free, 0);
  EXPECT_EQ(choose_shares(Preferences{Preference::closest}, candidates, 1), (Counts{0, 0, 1, 0}));
}

TEST(ChoiceClosest, PrefersEarlierOfEquallyClosePairs) {
  const Candidates candidates{unit_at("/sys/devices/c/1"), unit_at("/sys/devices/b/1"),
                              unit_at("/sys/devices/b/2"), unit_at("/sys/devices/a/1"),
                              unit_at("/sys/devices/a/2")};
  EXPECT_EQ(choose_shares(Preferences{Preference::closest}, candidates, 2),
            (Counts{0, 1, 1, 0, 0}));
}

TEST(ChoiceNuma, UsesFewestNumaNodes) {
  const Candidates candidates{unit_at("", {0}), unit_at("", {0}), unit_at("", {1}),
                              unit_at("", {1}), unit_at("", {1}), unit_at("", {2}),
                              unit_at("")};
  const Preferences numa{Preference::numa};
  EXPECT_EQ(choose_shares(numa, candidates, 2), (Counts{1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(choose_shares(numa, candidates, 3), (Counts{0, 0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(choose_shares(numa, candidates, 5), (Counts{1, 1, 1, 1, 1, 0, 0}));
}

TEST(ChoicePacked, FillsUnitsInUseFirst) {
  const Preferences packed{Preference::packed};
  // 16 shares each. The second is half in use; the third has two left.
  const Candidates candidates{with_shares(16, 0), with_shares(8, 8), with_shares(2, 14)};
  EXPECT_EQ(choose_shares(packed, candidates, 2), (Counts{0, 0, 2}));
  EXPECT_EQ(choose_shares(packed, candidates, 8), (Counts{0, 8, 0}));
  EXPECT_EQ(choose_shares(packed, candidates, 16), (Counts{16, 0, 0}));
}

TEST(ChoicePacked, KeepsSharesOfContainerTogether) {
  const Preferences packed{Preference::packed};
  // Shares of one unused unit are better than shares of two units.
  EXPECT_EQ(choose_shares(packed, Candidates{with_shares(1, 3), with_shares(4, 0)}, 2),
            (Counts{0, 2}));
  EXPECT_EQ(choose_shares(
                packed, Candidates{with_shares(16, 0), with_shares(8, 8), with_shares(2, 14)}, 10),
            (Counts{10, 0, 0}));
  // Two shares of a partly used unit are better than the last shares of two units.
  EXPECT_EQ(
      choose_shares(packed, Candidates{with_shares(1, 3), with_shares(1, 3), with_shares(4, 4)}, 2),
      (Counts{0, 0, 2}));
  // If no unit has enough shares, the fewest units are used.
  EXPECT_EQ(choose_shares(packed,
                          Candidates{with_shares(1, 3), with_shares(4, 0), with_shares(1, 3),
                                     with_shares(3, 1)},
                          7),
            (Counts{0, 4, 0, 3}));
  // Shares that the container must have (`taken`) count as shares of the container, too.
  Candidates candidates{with_shares(1, 3), with_shares(3, 0)};
  candidates[1].taken = 1;
  EXPECT_EQ(choose_shares(packed, candidates, 1), (Counts{0, 1}));
}

TEST(ChoicePacked, FillsNumaNodesInUseFirst) {
  const Candidates candidates{with_shares(1, 0, {0}), with_shares(1, 0, {0}),
                              with_shares(1, 0, {1}), with_shares(0, 1, {1})};
  EXPECT_EQ(choose_shares(Preferences{Preference::packed}, candidates, 1), (Counts{0, 0, 1, 0}));
}

TEST(ChoiceSpread, SpreadsOverUnitsThenNumaNodes) {
  const Preferences spread{Preference::spread};
  EXPECT_EQ(
      choose_shares(spread, Candidates{with_shares(4, 0), with_shares(2, 2), with_shares(4, 0)}, 3),
      (Counts{2, 0, 1}));
  const Candidates nodes{with_shares(1, 0, {0}), with_shares(1, 0, {0}), with_shares(1, 0, {1})};
  EXPECT_EQ(choose_shares(spread, nodes, 2), (Counts{1, 0, 1}));
}

TEST(Choice, BreaksTiesByNextPreferenceThenOrder) {
  const Candidates candidates{unit_at("/sys/devices/a/1", {0}), unit_at("/sys/devices/b/1", {0}),
                              unit_at("/sys/devices/b/2", {0}), unit_at("/sys/devices/c/1", {1}),
                              unit_at("/sys/devices/c/2", {1})};
  EXPECT_EQ(choose_shares(Preferences{Preference::numa}, candidates, 2), (Counts{1, 1, 0, 0, 0}));
  EXPECT_EQ(choose_shares(Preferences{Preference::numa, Preference::closest}, candidates, 2),
            (Counts{0, 1, 1, 0, 0}));
}

TEST(Choice, EarlierPreferencesAreMoreImportant) {
  const Candidates units{unit_at("/sys/devices/a/1", {0}), unit_at("/sys/devices/b/1", {0, 1}),
                         unit_at("/sys/devices/b/2", {0, 1}), unit_at("/sys/devices/c/1", {0})};
  const auto numa = Preference::numa;
  EXPECT_EQ(choose_shares(Preferences{numa, Preference::closest}, units, 2), (Counts{1, 0, 0, 1}));
  EXPECT_EQ(choose_shares(Preferences{Preference::closest, numa}, units, 2), (Counts{0, 1, 1, 0}));
  const Candidates shared{with_shares(2, 1), with_shares(3, 0)};
  const auto packed = Preference::packed;
  const auto spread = Preference::spread;
  EXPECT_EQ(choose_shares(Preferences{packed, spread}, shared, 1), (Counts{1, 0}));
  EXPECT_EQ(choose_shares(Preferences{spread, packed}, shared, 1), (Counts{0, 1}));
}

TEST(Choice, TakesAllIfTooFewAreFree) {
  const Candidates candidates{with_shares(2, 0), with_shares(0, 1)};
  EXPECT_EQ(choose_shares(Preferences{Preference::numa}, candidates, 9), (Counts{2, 0}));
  EXPECT_EQ(choose_shares(Preferences{Preference::numa}, candidates, 0), (Counts{0, 0}));
  EXPECT_EQ(choose_shares(Preferences{Preference::numa}, Candidates{}, 1), Counts{});
}

class ChoiceWorld {
 public:
  explicit ChoiceWorld(unsigned seed) : random_(seed) {}

  size_t below(size_t end) { return random_() % end; }

  /// Preferences that begin with numa, then some of the others at random.
  Preferences numa_first() {
    Preferences all{Preference::numa, Preference::packed, Preference::spread, Preference::closest};
    std::shuffle(all.begin() + 1, all.end(), random_);
    all.resize(1 + below(all.size()));
    return all;
  }

  Candidates candidates() {
    Candidates candidates(1 + below(6));
    for (Candidate& candidate : candidates) {
      const std::vector<std::vector<int>> nodes{{}, {0}, {1}, {0, 1}};
      candidate = {.nodes = nodes[below(nodes.size())],
                   .syspath = syspath(),
                   .free = below(4),
                   .taken = below(4) == 0 ? 1U : 0U,
                   .used = below(3)};
      if (below(3) == 0) candidate.max_taken = below(3);
    }
    return candidates;
  }

 private:
  /// A random syspath. Names can be prefixes of others, and a device can be below another.
  std::string syspath() {
    const std::vector<std::string> names{"a", "b", "a-c"};
    std::string syspath;
    for (size_t depth = below(5); depth > 0; --depth) syspath += '/' + names[below(names.size())];
    return syspath;
  }

  std::mt19937 random_;
};

/// The NUMA nodes that can each give `size` more shares without other nodes. The empty list stands
/// for the units without a node. If shares were taken before, only the node of these shares counts.
std::set<std::vector<int>> nodes_with(const Candidates& candidates, size_t size) {
  std::map<std::vector<int>, size_t> can_take;
  std::set<std::vector<int>> with_taken;
  for (const Candidate& candidate : candidates) {
    can_take[candidate.nodes] += candidate.can_take();
    if (candidate.taken > 0) with_taken.insert(candidate.nodes);
  }
  std::set<std::vector<int>> enough;
  for (const auto& [nodes, shares] : can_take) {
    const bool has_taken = with_taken.empty() || with_taken == std::set{nodes};
    if (nodes.size() <= 1 && shares >= size && has_taken) enough.insert(nodes);
  }
  return enough;
}

TEST(Choice, NumaAsFirstPreferenceUsesOneNodeIfPossible) {
  size_t with_one = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    ChoiceWorld world(seed);
    const Preferences prefer = world.numa_first();
    const Candidates candidates = world.candidates();
    size_t free = 0;
    for (const Candidate& candidate : candidates) free += candidate.can_take();
    const size_t size = world.below(free + 1);
    const Counts chosen = choose_shares(prefer, candidates, size);
    ASSERT_EQ(std::accumulate(chosen.begin(), chosen.end(), size_t{0}), size) << seed;
    std::set<std::vector<int>> used;
    for (size_t i = 0; i < candidates.size(); ++i) {
      ASSERT_LE(chosen[i], candidates[i].can_take()) << seed;
      if (chosen[i] + candidates[i].taken > 0) used.insert(candidates[i].nodes);
    }
    const auto enough = nodes_with(candidates, size);
    if (enough.empty() || used.empty()) continue;
    ++with_one;
    ASSERT_EQ(used.size(), 1U) << seed;
    ASSERT_TRUE(enough.contains(*used.begin())) << seed;
  }
  EXPECT_GT(with_one, 1000U);
}

}  // namespace
}  // namespace patchbay::inventory
