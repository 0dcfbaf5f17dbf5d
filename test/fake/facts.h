#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "model/facts.h"

/// Helpers that write and read the facts of a device in tests.
namespace patchbay::fake {

/// The facts to read of a device that a rule checks.
inline WantedFacts wanting(std::initializer_list<FactName> names) {
  WantedFacts wanted{.relevant = true};
  for (const FactName& name : names) wanted.add(name.fact, name.argument);
  return wanted;
}

/// The names under which `wanted` has the fact, such as the names of attributes.
inline std::vector<std::string> names(const WantedFacts& wanted, Fact fact) {
  std::vector<std::string> names;
  for (const FactName& name : wanted.facts) {
    if (name.fact == fact) names.push_back(name.argument);
  }
  return names;
}

/// Replaces the values of a fact. Without values the fact is absent.
inline void set(DeviceFacts& facts, Fact fact, const std::string& name,
                const std::vector<std::string>& values) {
  std::vector<FactValue> all = facts.known.list();
  std::erase_if(
      all, [&](const FactValue& value) { return value.fact == fact && value.argument == name; });
  for (const std::string& value : values) all.push_back({fact, name, value});
  facts.known = FactValues(std::move(all));
}
inline void set(DeviceFacts& facts, Fact fact, const std::vector<std::string>& values) {
  set(facts, fact, "", values);
}

/// Removes all values of a fact, whatever their names.
inline void drop(DeviceFacts& facts, Fact fact) {
  std::vector<FactValue> all = facts.known.list();
  std::erase_if(all, [&](const FactValue& value) { return value.fact == fact; });
  facts.known = FactValues(std::move(all));
}

/// All values of a fact, by name.
inline ValueLists lists(const DeviceFacts& facts, Fact fact) {
  ValueLists lists;
  for (const FactValue& value : facts.known.list()) {
    if (value.fact == fact) lists[value.argument].push_back(value.value);
  }
  return lists;
}

/// The values of a fact that has one value for each name.
inline NamedValues named(const DeviceFacts& facts, Fact fact) {
  NamedValues named;
  for (const auto& [name, values] : lists(facts, fact)) named.emplace(name, values.front());
  return named;
}

/// The values of a fact that has no names.
inline std::vector<std::string> values(const DeviceFacts& facts, Fact fact) {
  const auto all = facts.known.of(fact);
  return {all.begin(), all.end()};
}

}  // namespace patchbay::fake
