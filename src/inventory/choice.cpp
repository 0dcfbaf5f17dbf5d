#include "inventory/choice.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace patchbay::inventory {
namespace {

using rules::Preference;

/// The cost of a choice; the most important term comes first. Costs of subtrees can be added, and
/// comparison is consistent with addition. Therefore the search is exact.
struct ChoiceCost {
  static constexpr size_t kTerms = 10;  ///< One per criterion, and the position.
  std::array<int64_t, kTerms> terms{};

  ChoiceCost& operator+=(const ChoiceCost& other) {
    for (size_t i = 0; i < kTerms; ++i) terms[i] += other.terms[i];
    return *this;
  }
  friend auto operator<=>(const ChoiceCost&, const ChoiceCost&) = default;
};

/// The number of terms of a preference.
size_t terms_of(Preference preference) {
  switch (preference) {
    case Preference::packed:
      return 5;
    case Preference::spread:
      return 2;
    case Preference::numa:
    case Preference::closest:
      return 1;
  }
  return 0;
}

int64_t signed_of(size_t value) { return static_cast<int64_t>(value); }
int64_t pairs(int64_t count) { return count * (count - 1) / 2; }

/// The numbers of free, taken and used shares below a vertex of the tree.
struct Load {
  size_t free = 0;
  size_t taken = 0;
  size_t used = 0;

  void add(const Candidate& candidate) {
    free += candidate.free;
    taken += candidate.taken;
    used += candidate.used;
  }
};

/// Computes the cost of the shares taken at one vertex.
class CostModel {
 public:
  explicit CostModel(std::span<const Preference> prefer) {
    size_t term = 0;
    for (const Preference preference : prefer) {
      first_[static_cast<size_t>(preference)] = term;
      term += terms_of(preference);
    }
    position_ = term;
  }

  /// `ancestors`: number of the unit and of the devices above that contain only this unit. `first`:
  /// the position of the unit.
  void add_unit(ChoiceCost& cost, const Load& load, size_t chosen, size_t ancestors,
                size_t first) const {
    add_load(cost, load, chosen, 0);
    add_ancestors(cost, load, chosen, ancestors);
    const int64_t count = signed_of(chosen);
    cost.terms[position_] += signed_of(first) * count + pairs(count);
  }

  void add_node(ChoiceCost& cost, const Load& load, size_t chosen, size_t nodes) const {
    add_load(cost, load, chosen, 1);
    add_ancestors(cost, load, chosen, std::min<size_t>(nodes, 1));
    if (const auto term = first(Preference::numa); term != kNone && load.taken + chosen > 0) {
      cost.terms[term] += signed_of(std::max<size_t>(nodes, 1));
    }
  }

  /// `ancestors`: number of common ancestors of everything below the vertex.
  void add_ancestors(ChoiceCost& cost, const Load& load, size_t chosen, size_t ancestors) const {
    const auto term = first(Preference::closest);
    if (term == kNone) return;
    cost.terms[term] -= pairs(signed_of(load.taken + chosen)) * signed_of(ancestors);
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  [[nodiscard]] size_t first(Preference preference) const {
    return first_[static_cast<size_t>(preference)];
  }

  /// `level`: 0 for units, 1 for NUMA nodes.
  void add_load(ChoiceCost& cost, const Load& load, size_t chosen, size_t level) const {
    const size_t taken = load.taken + chosen;
    if (const auto term = first(Preference::packed); term != kNone && taken > 0) {
      if (level == 0) cost.terms[term] += 1;
      cost.terms[term + 2 * level + 1] += load.used == 0 ? 1 : 0;
      cost.terms[term + 2 * level + 2] += signed_of(load.free - chosen);
    }
    if (const auto term = first(Preference::spread); term != kNone) {
      const int64_t in_use = signed_of(load.used + taken);
      cost.terms[term + level] += in_use * in_use;
    }
  }

  std::array<size_t, 4> first_{kNone, kNone, kNone, kNone};
  size_t position_ = 0;
};

/// The candidates below one vertex, in order of their paths.
using Candidates = std::span<const size_t>;

class Search {
 public:
  Search(std::span<const Preference> prefer, std::span<const Candidate> candidates, size_t size)
      : cost_model_(prefer), candidates_(candidates), size_(size), chosen_(candidates.size()) {
    size_t position = 0;
    for (const Candidate& candidate : candidates) {
      paths_.push_back(candidate.syspath + '/');
      positions_.push_back(position);
      position += candidate.free;
    }
  }

  std::vector<size_t> run() {
    CostTable all = merged(node_tables());
    // There may be fewer than `size` free shares, or a limit on the shares to take.
    trace(all.derivation, all.best.size() - 1);
    return std::move(chosen_);
  }

 private:
  /// How a table was computed: from one candidate or from two other tables.
  struct Derivation {
    size_t candidate = 0;
    size_t left = 0;
    size_t right = 0;
    std::vector<uint32_t> to_right;  ///< By the number of chosen shares; empty: from one candidate.
  };
  /// The least cost of choosing 0, 1, … shares below a vertex, and the choice that has this cost.
  struct CostTable {
    std::vector<ChoiceCost> best;
    size_t derivation = 0;
  };

  std::vector<CostTable> node_tables();
  CostTable subtree_table(Candidates below, size_t path_from);
  CostTable candidate_table(size_t candidate, size_t path_from);
  CostTable merged(std::vector<CostTable> tables);
  CostTable merged(const CostTable& left, const CostTable& right);
  void trace(size_t derivation, size_t count);

  [[nodiscard]] Load load_of(Candidates below) const {
    Load load;
    for (const size_t candidate : below) load.add(candidates_[candidate]);
    return load;
  }
  /// The number of devices in this rest of a path.
  [[nodiscard]] static size_t devices_in(std::string_view path) {
    return static_cast<size_t>(std::ranges::count(path, '/'));
  }

  CostModel cost_model_;
  std::span<const Candidate> candidates_;
  size_t size_;
  std::vector<std::string> paths_;  ///< With a '/' at the end, so that the paths below one device
                                    ///< are adjacent.
  std::vector<size_t> positions_;   ///< Position of the first free share of each candidate.
  std::vector<Derivation> derivations_;
  std::vector<size_t> chosen_;
};

std::vector<Search::CostTable> Search::node_tables() {
  std::map<std::vector<int>, std::vector<size_t>> nodes;
  for (size_t candidate = 0; candidate < candidates_.size(); ++candidate)
    nodes[candidates_[candidate].nodes].push_back(candidate);
  std::vector<CostTable> tables;
  for (auto& [node, all] : nodes) {
    const Load load = load_of(all);
    std::erase_if(all, [&](size_t candidate) {
      return candidates_[candidate].free + candidates_[candidate].taken == 0;
    });
    if (all.empty()) continue;
    std::ranges::stable_sort(
        all, {}, [&](size_t candidate) -> std::string_view { return paths_[candidate]; });
    CostTable& table = tables.emplace_back(subtree_table(all, 0));
    for (size_t i = 0; i < table.best.size(); ++i) {
      cost_model_.add_node(table.best[i], load, i, node.size());
    }
  }
  return tables;
}

Search::CostTable Search::subtree_table(Candidates below, size_t path_from) {
  if (below.size() == 1) return candidate_table(below.front(), path_from);
  const std::string_view first = paths_[below.front()];
  const std::string_view last = paths_[below.back()];
  // Paths are sorted, so the common prefix of the first and the last is common to all.
  const auto common_length =
      static_cast<size_t>(std::ranges::mismatch(first, last).in1 - first.begin());
  const size_t common = first.substr(0, common_length).rfind('/') + 1;
  std::vector<CostTable> tables;
  for (size_t begin = 0; begin < below.size();) {
    const std::string_view path = paths_[below[begin]];
    const std::string_view stem = path.substr(0, path.find('/', common) + 1);
    const bool is_here = path.size() == common;
    size_t end = begin + 1;
    while (!is_here && end < below.size() && paths_[below[end]].starts_with(stem)) ++end;
    tables.push_back(is_here ? candidate_table(below[begin], common)
                             : subtree_table(below.subspan(begin, end - begin), common));
    begin = end;
  }
  CostTable table = merged(std::move(tables));
  const Load load = load_of(below);
  const size_t from = std::min(path_from, common);
  const size_t ancestors = devices_in(first.substr(from, common - from));
  for (size_t i = 0; i < table.best.size(); ++i) {
    cost_model_.add_ancestors(table.best[i], load, i, ancestors);
  }
  return table;
}

Search::CostTable Search::candidate_table(size_t candidate, size_t path_from) {
  Load load;
  load.add(candidates_[candidate]);
  const size_t most = std::min(candidates_[candidate].can_take(), size_);
  CostTable table{std::vector<ChoiceCost>(most + 1), derivations_.size()};
  derivations_.push_back({.candidate = candidate, .left = 0, .right = 0, .to_right = {}});
  const size_t ancestors = devices_in(std::string_view(paths_[candidate]).substr(path_from)) + 1;
  for (size_t i = 0; i < table.best.size(); ++i) {
    cost_model_.add_unit(table.best[i], load, i, ancestors, positions_[candidate]);
  }
  return table;
}

/// Merging by halves keeps the work small and the derivations shallow.
Search::CostTable Search::merged(std::vector<CostTable> tables) {
  while (tables.size() > 1) {
    std::vector<CostTable> half;
    for (size_t i = 0; i + 1 < tables.size(); i += 2) {
      half.push_back(merged(tables[i], tables[i + 1]));
    }
    if (tables.size() % 2 == 1) half.push_back(std::move(tables.back()));
    tables = std::move(half);
  }
  return std::move(tables.front());
}

Search::CostTable Search::merged(const CostTable& left, const CostTable& right) {
  const size_t most = std::min(left.best.size() + right.best.size() - 2, size_);
  CostTable table{std::vector<ChoiceCost>(most + 1), derivations_.size()};
  std::vector<uint32_t> to_right(most + 1);
  std::vector<bool> known(most + 1);
  for (size_t r = 0; r < right.best.size(); ++r) {
    for (size_t l = 0; l < left.best.size() && l + r <= most; ++l) {
      ChoiceCost cost = left.best[l];
      cost += right.best[r];
      if (known[l + r] && table.best[l + r] <= cost) continue;
      known[l + r] = true;
      table.best[l + r] = cost;
      to_right[l + r] = static_cast<uint32_t>(r);
    }
  }
  derivations_.push_back({0, left.derivation, right.derivation, std::move(to_right)});
  return table;
}

void Search::trace(size_t derivation, size_t count) {
  const Derivation& from = derivations_[derivation];
  if (from.to_right.empty()) {
    chosen_[from.candidate] = count;
    return;
  }
  const size_t right = from.to_right[count];
  trace(from.left, count - right);
  trace(from.right, right);
}

}  // namespace

std::vector<size_t> best_choice(std::span<const Preference> prefer,
                                std::span<const Candidate> candidates, size_t size) {
  const bool any = std::ranges::any_of(
      candidates, [](const Candidate& candidate) { return candidate.can_take() > 0; });
  if (!any || size == 0) return std::vector<size_t>(candidates.size());
  return Search(prefer, candidates, size).run();
}

}  // namespace patchbay::inventory
