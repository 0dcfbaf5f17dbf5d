#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/node.h"
#include "bench/world.h"
#include "rules/compile.h"

namespace patchbay::bench {
namespace {

constexpr size_t kDevices = 256;

/// Measures events of all devices in turn, each with another value. Does not compute the units.
void match_events(benchmark::State& state, const Size& size) {
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  std::vector<DeviceFactsPtr> next;
  for (size_t round = 0; round < 2; ++round) {
    for (const DeviceFactsPtr& facts : node.devices()) next.push_back(changed(*facts, round));
  }
  size_t event = 0;
  for (auto _ : state) {
    node.on_event(event % size.devices, next[event % next.size()]);
    ++event;
  }
}

/// With twice the rules in twice the subsystems, an event must cost the same.
void match_beside_other_subsystems(benchmark::State& state) {
  const auto rules = static_cast<size_t>(state.range(0));
  match_events(state, {.devices = kDevices, .rules = rules, .subsystems = rules / 4});
  state.SetComplexityN(state.range(0));
}
BENCHMARK(match_beside_other_subsystems)
    ->RangeMultiplier(4)
    ->Range(4, 256)
    ->Complexity(benchmark::o1);

/// All rules are for the event's subsystem, so each is evaluated for it.
void match_in_one_subsystem(benchmark::State& state) {
  const auto rules = static_cast<size_t>(state.range(0));
  match_events(state, {.devices = kDevices, .rules = rules, .subsystems = 1});
  state.SetComplexityN(state.range(0));
}
BENCHMARK(match_in_one_subsystem)->RangeMultiplier(4)->Range(4, 256)->Complexity(benchmark::oN);

/// The number of devices must not affect the matching of one device.
void match_beside_other_devices(benchmark::State& state) {
  match_events(state, {.devices = static_cast<size_t>(state.range(0)), .rules = 20});
  state.SetComplexityN(state.range(0));
}
BENCHMARK(match_beside_other_devices)
    ->RangeMultiplier(4)
    ->Range(64, 16'384)
    ->Complexity(benchmark::oLogN);

/// The base cost of a device is about the cost of evaluating that many rules.
constexpr size_t kRulesOfADevice = 40;

/// Measures a scan: all devices are matched against the rules of their subsystem.
void match_all(benchmark::State& state) {
  const Size size{.devices = static_cast<size_t>(state.range(0)),
                  .rules = static_cast<size_t>(state.range(1))};
  const auto plan = plan_of(plain_rules(size));
  const auto devices = plain_devices(size);
  for (auto _ : state) {
    inventory::Inventory inventory(plan);
    for (const DeviceFactsPtr& facts : devices) inventory.apply(facts);
    benchmark::DoNotOptimize(inventory.devices().size());
  }
  const size_t asked = size.rules / size.subsystems;
  state.SetComplexityN(
      static_cast<benchmark::IterationCount>(size.devices * (kRulesOfADevice + asked)));
}
BENCHMARK(match_all)
    ->ArgsProduct({{256, 1024, 4096}, {20, 80, 320}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

/// Measures an event of a device that no rule matches, as most events of a storm.
void match_nothing(benchmark::State& state) {
  const Size size{.rules = static_cast<size_t>(state.range(0))};
  const auto query = rules::host_query(plan_of(plain_rules(size)));
  DeviceFacts other = cheap_of(device(size, 0, 0));
  other.subsystem = "other";
  for (auto _ : state) benchmark::DoNotOptimize(query->wanted(other));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(match_nothing)->RangeMultiplier(4)->Range(4, 256)->Complexity(benchmark::o1);

}  // namespace
}  // namespace patchbay::bench
