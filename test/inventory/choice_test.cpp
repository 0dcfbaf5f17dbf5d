#include "inventory/choice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"

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
      // The same switch, but at a great depth: still near.
      unit_at(port + "/0000:01:00.0/0000:02:01.0/0000:04:00.0/0000:05:01.0/0000:06:00.0"),
  };
  const Preferences closest{Preference::closest};
  EXPECT_EQ(best_choice(closest, candidates, 2), (Counts{0, 0, 1, 0, 1}));
  EXPECT_EQ(best_choice(closest, candidates, 3), (Counts{0, 0, 1, 1, 1}));
  EXPECT_EQ(best_choice(closest, candidates, 4), (Counts{0, 1, 1, 1, 1}));
}

TEST(ChoiceClosest, PrefersUnitsNearTakenOnes) {
  Candidates candidates{unit_at("/sys/devices/a/1"), unit_at("/sys/devices/a/2"),
                        unit_at("/sys/devices/b/1"), unit_at("/sys/devices/b/2")};
  candidates[3].taken = std::exchange(candidates[3].free, 0);
  EXPECT_EQ(best_choice(Preferences{Preference::closest}, candidates, 1), (Counts{0, 0, 1, 0}));
}

TEST(ChoiceNuma, UsesFewestNodes) {
  const Candidates candidates{unit_at("", {0}), unit_at("", {0}), unit_at("", {1}),
                              unit_at("", {1}), unit_at("", {1}), unit_at("", {2}),
                              unit_at("")};
  const Preferences numa{Preference::numa};
  EXPECT_EQ(best_choice(numa, candidates, 2), (Counts{1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(best_choice(numa, candidates, 3), (Counts{0, 0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(best_choice(numa, candidates, 5), (Counts{1, 1, 1, 1, 1, 0, 0}));
}

TEST(ChoicePacked, FillsUnitsInUseFirst) {
  const Preferences packed{Preference::packed};
  // 16 shares each. The second is half in use; the third has two left.
  const Candidates candidates{with_shares(16, 0), with_shares(8, 8), with_shares(2, 14)};
  EXPECT_EQ(best_choice(packed, candidates, 2), (Counts{0, 0, 2}));
  EXPECT_EQ(best_choice(packed, candidates, 8), (Counts{0, 8, 0}));
  EXPECT_EQ(best_choice(packed, candidates, 16), (Counts{16, 0, 0}));
}

TEST(ChoicePacked, KeepsSharesOfContainerTogether) {
  const Preferences packed{Preference::packed};
  // A unit without used shares is better than shares of two units.
  EXPECT_EQ(best_choice(packed, Candidates{with_shares(1, 3), with_shares(4, 0)}, 2),
            (Counts{0, 2}));
  EXPECT_EQ(best_choice(packed,
                        Candidates{with_shares(16, 0), with_shares(8, 8), with_shares(2, 14)}, 10),
            (Counts{10, 0, 0}));
  // The rest of one unit is better than the last shares of two.
  EXPECT_EQ(
      best_choice(packed, Candidates{with_shares(1, 3), with_shares(1, 3), with_shares(4, 4)}, 2),
      (Counts{0, 0, 2}));
  // If no unit has enough shares, the fewest units.
  EXPECT_EQ(best_choice(packed,
                        Candidates{with_shares(1, 3), with_shares(4, 0), with_shares(1, 3),
                                   with_shares(3, 1)},
                        7),
            (Counts{0, 4, 0, 3}));
  // Required shares are included in the rating.
  Candidates candidates{with_shares(1, 3), with_shares(3, 0)};
  candidates[1].taken = 1;
  EXPECT_EQ(best_choice(packed, candidates, 1), (Counts{0, 1}));
}

TEST(ChoicePacked, FillsNodesInUseFirst) {
  const Candidates candidates{with_shares(1, 0, {0}), with_shares(1, 0, {0}),
                              with_shares(1, 0, {1}), with_shares(0, 1, {1})};
  EXPECT_EQ(best_choice(Preferences{Preference::packed}, candidates, 1), (Counts{0, 0, 1, 0}));
}

TEST(ChoiceSpread, SpreadsOverUnitsThenNodes) {
  const Preferences spread{Preference::spread};
  EXPECT_EQ(
      best_choice(spread, Candidates{with_shares(4, 0), with_shares(2, 2), with_shares(4, 0)}, 3),
      (Counts{2, 0, 1}));
  const Candidates nodes{with_shares(1, 0, {0}), with_shares(1, 0, {0}), with_shares(1, 0, {1})};
  EXPECT_EQ(best_choice(spread, nodes, 2), (Counts{1, 0, 1}));
}

TEST(Choice, BreaksTiesByNextPreferenceThenOrder) {
  const Candidates candidates{unit_at("/sys/devices/a/1", {0}), unit_at("/sys/devices/b/1", {0}),
                              unit_at("/sys/devices/b/2", {0}), unit_at("/sys/devices/c/1", {1}),
                              unit_at("/sys/devices/c/2", {1})};
  EXPECT_EQ(best_choice(Preferences{Preference::numa}, candidates, 2), (Counts{1, 1, 0, 0, 0}));
  EXPECT_EQ(best_choice(Preferences{Preference::numa, Preference::closest}, candidates, 2),
            (Counts{0, 1, 1, 0, 0}));
}

TEST(Choice, TakesAllIfTooFewAreFree) {
  const Candidates candidates{with_shares(2, 0), with_shares(0, 1)};
  EXPECT_EQ(best_choice(Preferences{Preference::numa}, candidates, 9), (Counts{2, 0}));
  EXPECT_EQ(best_choice(Preferences{Preference::numa}, candidates, 0), (Counts{0, 0}));
  EXPECT_EQ(best_choice(Preferences{Preference::numa}, Candidates{}, 1), Counts{});
}

size_t most_of(const Candidate& candidate) { return std::min(candidate.free, candidate.max_taken); }

/// The criteria of the header, implemented literally by pairs and sets.
class Oracle {
 public:
  Oracle(const Preferences& prefer, const Candidates& candidates)
      : prefer_(prefer), candidates_(candidates) {}

  [[nodiscard]] std::vector<long> cost(const Counts& chosen) const {
    std::vector<long> cost;
    for (const Preference preference : prefer_) {
      for (const long term : terms(preference, chosen)) cost.push_back(term);
    }
    cost.push_back(positions(chosen));
    return cost;
  }

  /// The least cost of all ways to take that many.
  [[nodiscard]] std::vector<long> least(size_t size) const {
    std::optional<std::vector<long>> best;
    Counts chosen(candidates_.size());
    const std::function<void(size_t, size_t)> fill = [&](size_t candidate, size_t left) {
      if (candidate == candidates_.size()) {
        if (left == 0) best = best ? std::min(*best, cost(chosen)) : cost(chosen);
        return;
      }
      for (chosen[candidate] = 0;
           chosen[candidate] <= std::min(left, most_of(candidates_[candidate]));
           ++chosen[candidate]) {
        fill(candidate + 1, left - chosen[candidate]);
      }
      chosen[candidate] = 0;
    };
    fill(0, size);
    return *best;
  }

 private:
  [[nodiscard]] std::vector<long> terms(Preference preference, const Counts& chosen) const {
    if (preference == Preference::closest) return {-common_ancestors(chosen)};
    if (preference == Preference::numa) {
      std::set<std::vector<int>> used;
      for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] + candidates_[i].taken > 0) used.insert(candidates_[i].nodes);
      }
      long count = 0;
      for (const auto& nodes : used) count += std::max(static_cast<long>(nodes.size()), 1L);
      return {count};
    }
    std::map<std::string, Candidate> units;
    std::map<std::string, Candidate> nodes;
    std::map<std::string, size_t> of_units;
    std::map<std::string, size_t> of_nodes;
    for (size_t i = 0; i < chosen.size(); ++i) {
      std::string node;
      for (const int number : candidates_[i].nodes) node += std::to_string(number) + ' ';
      for (const auto& [all, count, name] : {std::tuple{&units, &of_units, std::to_string(i)},
                                             std::tuple{&nodes, &of_nodes, node}}) {
        (*all)[name].free += candidates_[i].free;
        (*all)[name].taken += candidates_[i].taken;
        (*all)[name].used += candidates_[i].used;
        (*count)[name] += chosen[i];
      }
    }
    auto of_both = load(preference, units, of_units);
    if (preference == Preference::packed) {
      const auto has_some = [&](const auto& unit) {
        return of_units[unit.first] + unit.second.taken > 0;
      };
      of_both.insert(of_both.begin(), std::ranges::count_if(units, has_some));
    }
    for (const long term : load(preference, nodes, of_nodes)) of_both.push_back(term);
    return of_both;
  }

  static std::vector<long> load(Preference preference, const std::map<std::string, Candidate>& all,
                                std::map<std::string, size_t>& chosen) {
    long opened = 0;
    long left = 0;
    long squares = 0;
    for (const auto& [name, candidate] : all) {
      const size_t taken = chosen[name] + candidate.taken;
      if (taken > 0 && candidate.used == 0) ++opened;
      if (taken > 0) left += static_cast<long>(candidate.free - chosen[name]);
      squares += static_cast<long>((candidate.used + taken) * (candidate.used + taken));
    }
    return preference == Preference::packed ? std::vector{opened, left} : std::vector{squares};
  }

  [[nodiscard]] long common_ancestors(const Counts& chosen) const {
    std::vector<size_t> shares;
    for (size_t i = 0; i < chosen.size(); ++i) {
      shares.insert(shares.end(), chosen[i] + candidates_[i].taken, i);
    }
    long sum = 0;
    for (size_t a = 0; a < shares.size(); ++a) {
      for (size_t b = a + 1; b < shares.size(); ++b) sum += common(shares[a], shares[b]);
    }
    return sum;
  }

  [[nodiscard]] long common(size_t a, size_t b) const {
    if (candidates_[a].nodes != candidates_[b].nodes) return 0;
    const auto one = split(candidates_[a].syspath, '/');
    const auto other = split(candidates_[b].syspath, '/');
    const auto mismatch = std::ranges::mismatch(one, other).in1;
    return (candidates_[a].nodes.empty() ? 0 : 1) + (mismatch - one.begin()) + (a == b ? 1 : 0);
  }

  [[nodiscard]] long positions(const Counts& chosen) const {
    long sum = 0;
    long first = 0;
    for (size_t i = 0; i < chosen.size(); ++i) {
      for (size_t n = 0; n < chosen[i]; ++n) sum += first + static_cast<long>(n);
      first += static_cast<long>(candidates_[i].free);
    }
    return sum;
  }

  const Preferences& prefer_;
  const Candidates& candidates_;
};

class ChoiceWorld {
 public:
  explicit ChoiceWorld(unsigned seed) : random_(seed) {}

  size_t below(size_t end) { return random_() % end; }

  Preferences preferences() {
    Preferences all{Preference::packed, Preference::spread, Preference::numa, Preference::closest};
    std::ranges::shuffle(all, random_);
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
  /// Names that are prefixes of others, and one device below another.
  std::string syspath() {
    const std::vector<std::string> names{"a", "b", "a-c"};
    std::string syspath;
    for (size_t depth = below(5); depth > 0; --depth) syspath += '/' + names[below(names.size())];
    return syspath;
  }

  std::mt19937 random_;
};

TEST(Choice, EqualsExhaustiveSearch) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    ChoiceWorld world(seed);
    const Preferences prefer = world.preferences();
    const Candidates candidates = world.candidates();
    size_t free = 0;
    for (const Candidate& candidate : candidates) free += most_of(candidate);
    const size_t size = world.below(free + 1);
    const Counts chosen = best_choice(prefer, candidates, size);
    ASSERT_EQ(std::accumulate(chosen.begin(), chosen.end(), size_t{0}), size) << seed;
    for (size_t i = 0; i < candidates.size(); ++i)
      ASSERT_LE(chosen[i], most_of(candidates[i])) << seed;
    const Oracle oracle(prefer, candidates);
    ASSERT_EQ(oracle.cost(chosen), oracle.least(size)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace patchbay::inventory
