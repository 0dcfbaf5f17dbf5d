// Tests the rules that `suggest` proposes for random machines. Their comments must be true.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "config/spec_reader.h"
#include "config/yaml_writer.h"
#include "host/survey.h"
#include "inventory/inventory.h"
#include "machine/machine_files.h"
#include "machine/machine_text.h"
#include "rules/compile.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"
#include "suggest/in_use.h"
#include "suggest/named_device.h"
#include "suggest/proposal.h"
#include "suggest/unknown_hardware.h"

namespace patchbay::suggest {
namespace {

using Random = std::mt19937;
using Lines = std::vector<std::string>;

constexpr size_t kMostEntities = 10'000;

/// The number of machines. $PATCHBAY_SUGGEST_ROUNDS sets another one: `.ci/run` sets 300 in the
/// preset asan.
size_t rounds() {
  const char* const set = std::getenv("PATCHBAY_SUGGEST_ROUNDS");
  return set == nullptr ? 60 : std::stoul(set);
}

size_t below(Random& random, size_t limit) {
  return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
}

/// The lines of each described machine.
const std::vector<Lines>& machines() {
  static const std::vector<Lines> all = [] {
    std::vector<Lines> found;
    const std::filesystem::path folder(std::string(PATCHBAY_SOURCE_DIR) +
                                       "/test/hardware/machines");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path());
      Lines lines;
      for (std::string line; std::getline(file, line);) lines.push_back(line);
      found.push_back(std::move(lines));
    }
    std::ranges::sort(found);
    return found;
  }();
  return all;
}

/// A value that is difficult to write in a rule.
std::string awkward_value(Random& random) {
  constexpr std::array<const char*, 16> kValues{
      "*", "[a-z]", "a b",  "C:\\\\dev", "\"q\"", "$(name)", "true", "0403",
      "",  "é…",    "a: b", "#x",        "{a}",   "\xff",    "-",    "it's, both: \"x\""};
  return kValues[below(random, kValues.size())];
}

/// The text of a described machine, in which some values are removed, or replaced by equal or
/// difficult ones.
std::string random_machine(Random& random) {
  Lines lines = machines()[below(random, machines().size())];
  std::map<std::string, Lines> values;  // All values by the text before "=".
  for (const std::string& line : lines) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) values[line.substr(0, equals)].push_back(line.substr(equals));
  }
  std::string text;
  for (const std::string& line : lines) {
    const size_t equals = line.find('=');
    const size_t choice = equals == std::string::npos ? 100 : below(random, 100);
    if (choice < 2) continue;
    if (choice < 10) {
      const Lines& others = values[line.substr(0, equals)];
      text += line.substr(0, equals) + others[below(random, others.size())] + '\n';
    } else if (choice < 14) {
      text += line.substr(0, equals) + '=' + awkward_value(random) + '\n';
    } else {
      text += line + '\n';
    }
  }
  return text;
}

/// The units of a plan on the machine.
inventory::Resolution resolve(const rules::PlanPtr& plan, const paths::HostRoot& root) {
  inventory::Inventory inventory(plan);
  for (const auto& facts : host::survey(rules::host_query(plan), root, kMostEntities)) {
    inventory.apply(facts);
  }
  return inventory.resolve(std::chrono::steady_clock::now());
}

rules::PlanPtr compile(const std::string& text) {
  config::Diagnostics diagnostics;
  const auto source =
      std::make_shared<const config::Source>(config::Source{"suggestion.yaml", text});
  const std::array specs{config::read_spec(source, diagnostics)};
  auto plan = rules::compile(specs, {.node = "node"}, diagnostics);
  EXPECT_NE(plan, nullptr) << text << render(diagnostics);
  return plan;
}

using Values = std::map<std::string, std::optional<std::string>>;

Values values_of(const std::vector<std::string>& variables, const DeviceFacts& device) {
  Values values;
  for (const std::string& variable : variables) values[variable] = value_of(device, variable);
  return values;
}

/// The facts that distinguish the model: the first list of facts whose values are equal for all
/// devices of the unit.
std::vector<std::string> model_of(const Candidate& candidate, DeviceReader& reader) {
  const auto first = reader.read(candidate.matched.front()->key);
  for (const auto& variables : candidate.kind->like) {
    const Values values = values_of(variables, *first);
    const bool has_all = std::ranges::none_of(
        values, [](const auto& value) { return value.second == std::nullopt; });
    const bool same = std::ranges::all_of(candidate.matched, [&](const auto& device) {
      return values_of(variables, *reader.read(device->key)) == values;
    });
    if (has_all && same) return variables;
  }
  return {};
}

bool has_comment(const std::string& text, const std::string& comment) {
  return text.contains("# " + comment + "\n");
}

void check_rule(const CandidatePtr& candidate, const std::vector<CandidatePtr>& all,
                const ProposalOptions& options, const paths::HostRoot& root) {
  DeviceReader reader(root);
  const Proposal proposal = propose(candidate, all, options, reader);
  const std::string text = config::write_yaml(configuration_of({proposal.resource}));
  SCOPED_TRACE(text);
  const auto plan = compile(text);
  if (plan == nullptr || proposal.device == nullptr) return;
  const bool only_one = has_comment(text, "only this device") ||
                        has_comment(text, "only this device, while it has this name");
  const std::vector<std::string> model = model_of(*candidate, reader);
  const Values values = values_of(model, *proposal.device);
  const inventory::Resolution resolution = resolve(plan, root);
  const auto& units = resolution.resources.front().snapshot->units;
  bool offered = false;
  for (const auto& unit : units) {
    const auto found = std::ranges::count_if(candidate->matched, [&](const auto& matched) {
      return std::ranges::any_of(unit.members->of(0), [&](const auto& device) {
        return device.facts->key == matched->key;
      });
    });
    EXPECT_TRUE(found == 0 || found == std::ssize(candidate->matched)) << unit.id;
    offered = offered || found > 0;
  }
  // If the unit is not offered, there is a reason, such as another device with the same id.
  EXPECT_TRUE(offered || !resolution.resources.front().refusals.empty());
  for (const auto& unit : units) {
    for (const auto& device : unit.members->of(0)) {
      if (only_one) {
        EXPECT_NE(std::ranges::find(candidate->keys, device.facts->key), candidate->keys.end())
            << device.facts->key;
      }
      EXPECT_EQ(values_of(model, *reader.read(device.facts->key)), values);
    }
  }
}

TEST(RandomMachines, CommentsOfRulesAreTrue) {
  Random random(20261127);
  const auto plan = plan_of(kinds());
  size_t rules = 0;
  for (size_t round = 0; round < rounds() && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto machine = machine::read_machine("random", random_machine(random));
    if (!machine) continue;
    const paths::HostRoot root(machine::files_of(*machine));
    auto all = find_candidates(resolve(plan, root), kinds(), root);
    const std::vector<KindPtr> unknown = make_kinds(all, root);
    if (!unknown.empty()) {
      std::ranges::move(find_candidates(resolve(plan_of(unknown), root), unknown, root),
                        std::back_inserter(all));
    }
    if (all.empty()) continue;
    const CandidatePtr& candidate = all[below(random, all.size())];
    if (candidate->superseded) continue;
    DeviceReader reader(root);
    [[maybe_unused]] const auto in_use = UseCheck(root, reader).reason(*candidate);
    check_rule(candidate, all, {.this_one = below(random, 2) == 0, .domain = "example.com"}, root);
    ++rules;
  }
  EXPECT_GT(rules, rounds() / 4);
}

TEST(RandomMachines, AnyNameGivesDevicesOrAnError) {
  Random random(20261127);
  for (size_t round = 0; round < rounds() / 10; ++round) {
    const auto machine = machine::read_machine("random", random_machine(random));
    if (!machine) continue;
    const paths::HostRoot root(machine::files_of(*machine));
    for (int i = 0; i < 50; ++i) {
      std::string name;
      for (size_t left = below(random, 4) + 1; left > 0; --left) {
        constexpr std::array<const char*, 14> kPieces{"/dev/",   "/sys/", "ttyUSB", "0",   ":",
                                                      "usb ",    "0403",  "..",     "3b",  ".0",
                                                      "/class/", "\xff",  "é",      "6001"};
        name += kPieces[below(random, kPieces.size())];
      }
      const auto found = find_named_devices(name, root);
      if (found) {
        EXPECT_FALSE(found->empty()) << name;
      } else {
        EXPECT_TRUE(is_utf8(found.error().message)) << name;
      }
    }
  }
}

}  // namespace
}  // namespace patchbay::suggest
