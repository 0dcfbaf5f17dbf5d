#include "inventory/choice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace patchbay::inventory {
namespace {

using rules::Preference;

/// The most important term comes first: one per criterion, and the index of the candidate.
using ChoiceCost = std::array<int64_t, 10>;

/// The shares of a unit or a NUMA node.
struct Load {
  int64_t price = 1;  ///< Cost of its first share.
  int64_t free = 0;
  int64_t used = 0;
  int64_t can_take = 0;  ///< Without the shares that every choice includes.
  int64_t taken = 0;

  void add(const Candidate& candidate) {
    free += static_cast<int64_t>(candidate.free + candidate.taken);
    used += static_cast<int64_t>(candidate.used);
    can_take += static_cast<int64_t>(candidate.can_take());
  }
};

/// A candidate during a choice.
struct Option {
  size_t candidate;  ///< Index.
  size_t node;       ///< Index.
  std::string
      path;        ///< Its NUMA node, devices and unit, each with a '/' at the end; for `closest`.
  int64_t chosen;  ///< Negative: that many shares must be taken yet.
  Load load{};
  int64_t common = 0;  ///< Common ancestors with all taken shares, summed.
};

struct Choice {
  std::vector<Option> options;
  std::vector<Load> nodes;
  /// The number of shares that do not fit into the units, or nodes, in use. Each may need another
  /// one, so the one with the most room costs least.
  int64_t lack_of_units;
  int64_t lack_of_nodes;
  ChoiceCost cost{};
};

int64_t cost_of_use(const Load& load, int64_t lack) {
  return load.taken > 0 ? 0 : load.price - std::min(load.can_take, lack);
}

/// The cost of one more share.
ChoiceCost cost_of(std::span<const Preference> prefer, const Choice& choice, const Option& option) {
  ChoiceCost cost{};
  auto term = cost.begin();
  const Load& node = choice.nodes[option.node];
  for (const Preference preference : prefer) {
    switch (preference) {
      case Preference::packed:
        *term++ = cost_of_use(option.load, choice.lack_of_units);
        for (const Load* load : {&option.load, &node}) {
          *term++ = load->taken + load->used == 0 ? 1 : 0;
          *term++ = load->taken == 0 ? load->free : 0;
        }
        break;
      case Preference::spread:
        for (const Load* load : {&option.load, &node}) *term++ = load->taken + load->used;
        break;
      case Preference::numa:
        *term++ = cost_of_use(node, choice.lack_of_nodes);
        break;
      case Preference::closest:
        *term++ = -option.common;
        break;
    }
  }
  *term = static_cast<int64_t>(option.candidate);
  return cost;
}

void take(Choice& choice, Option& taken, const ChoiceCost& cost) {
  for (auto [load, lack] : {std::pair(&taken.load, &choice.lack_of_units),
                            std::pair(&choice.nodes[taken.node], &choice.lack_of_nodes)}) {
    if (load->taken++ == 0) *lack -= std::min(load->can_take, *lack);
    --load->free;
  }
  ++taken.chosen;
  for (Option& option : choice.options) {
    const auto end = std::ranges::mismatch(option.path, taken.path).in1;
    option.common += std::count(option.path.begin(), end, '/');
  }
  std::ranges::transform(choice.cost, cost, choice.cost.begin(), std::plus{});
}

/// The choice of the shares that every choice includes.
Choice required_choice(std::span<const Candidate> candidates, int64_t size, bool closest) {
  Choice choice{.options = {}, .nodes = {}, .lack_of_units = size, .lack_of_nodes = size};
  std::map<std::vector<int>, size_t> nodes;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    const auto& [numbers, node] = *nodes.emplace(one.nodes, nodes.size()).first;
    choice.nodes.resize(nodes.size(), {.price = std::max<int64_t>(std::ssize(numbers), 1)});
    Option& option = choice.options.emplace_back(i, node, "", -static_cast<int64_t>(one.taken));
    // A line break: no device has the name of a unit.
    if (closest) {
      option.path = fmt::format("{}{}{}/\n{}/", node, numbers.empty() ? "" : "/", one.syspath, i);
    }
    option.load.add(one);
    choice.nodes[node].add(one);
  }
  for (Option& option : choice.options) {
    while (option.chosen < 0) take(choice, option, {});
  }
  return choice;
}

/// Adds `size` shares. Returns whether there were as many.
bool fill(Choice& choice, std::span<const Preference> prefer, int64_t size) {
  for (; size > 0; --size) {
    Option* best = nullptr;
    ChoiceCost least{};
    for (Option& option : choice.options) {
      if (option.chosen == option.load.can_take) continue;
      const ChoiceCost cost = cost_of(prefer, choice, option);
      if (best != nullptr && cost >= least) continue;
      best = &option;
      least = cost;
    }
    if (best == nullptr) return false;
    take(choice, *best, least);
  }
  return true;
}

/// The options below each node, device or unit that is their lowest one with `size` shares.
std::map<std::string_view, std::vector<Option>> smallest_subtrees(
    const std::vector<Option>& options, int64_t size) {
  std::map<std::string_view, int64_t> shares;
  for (const Option& option : options) {
    for (size_t end = 0; (end = option.path.find('/', end)) != std::string::npos;) {
      shares[std::string_view(option.path).substr(0, ++end)] += option.load.can_take;
    }
  }
  std::map<std::string_view, std::vector<Option>> subtrees;
  for (const Option& option : options) {
    std::string_view path = option.path;
    while (!path.empty() && shares[path] < size) {
      path.remove_suffix(1);
      path = path.substr(0, path.rfind('/') + 1);
    }
    if (!path.empty()) subtrees[path].push_back(option);
  }
  return subtrees;
}

}  // namespace

std::vector<size_t> choose_shares(std::span<const Preference> prefer,
                                  std::span<const Candidate> candidates, size_t size) {
  const auto wanted = static_cast<int64_t>(size);
  const bool closest = std::ranges::find(prefer, Preference::closest) != prefer.end();
  const Choice begin = required_choice(candidates, wanted, closest);
  Choice best = begin;
  fill(best, prefer, wanted);
  for (auto& [path, options] : smallest_subtrees(begin.options, wanted)) {
    Choice choice{std::move(options), begin.nodes, begin.lack_of_units, begin.lack_of_nodes};
    if (fill(choice, prefer, wanted) && choice.cost < best.cost) best = std::move(choice);
  }
  std::vector<size_t> chosen(candidates.size());
  for (const Option& option : best.options) {
    chosen[option.candidate] = static_cast<size_t>(option.chosen);
  }
  return chosen;
}

}  // namespace patchbay::inventory
