#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/calls.h"
#include "bench/node.h"
#include "bench/world.h"
#include "inventory/preferred_units.h"

namespace patchbay::bench {
namespace {

/// Measures an Allocate of one unit, from the ids to the bytes of the answer.
void allocate(benchmark::State& state) {
  const Size size{.devices = static_cast<size_t>(state.range(0)), .rules = 1, .subsystems = 1};
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  const auto snapshot = node.inventory().last().resources.at(0).snapshot;
  size_t call = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(allocate_one(*snapshot, call++ * 389 % size.devices));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(allocate)->RangeMultiplier(4)->Range(64, 16'384)->Complexity(benchmark::oLogN);

/// Measures a preferred allocation of eight of the units.
void prefer(benchmark::State& state, const std::string& by) {
  constexpr size_t kSize = 8;
  inventory::Inventory inventory(
      plan_of("  - {name: a.io/vf, match: {subsystem: pci}, id: $(name), prefer: " + by + "}\n"));
  inventory.set_online_nodes({0, 1});
  for (size_t i = 0; i < static_cast<size_t>(state.range(0)); ++i) {
    inventory.apply(std::make_shared<const DeviceFacts>(function(i)));
  }
  const auto snapshot = inventory.resolve(kNow).resources.at(0).snapshot;
  std::vector<std::string> available;
  for (const auto& unit : snapshot->units) available.push_back(unit.id);
  for (auto _ : state) {
    expect(inventory::preferred_units(*snapshot, available, {}, kSize).size() == kSize,
           "there are enough");
  }
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(4)->Range(64, 4096)->Complexity()->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(prefer, numa, "numa")->Apply(sizes);
BENCHMARK_CAPTURE(prefer, packed, "packed")->Apply(sizes);
BENCHMARK_CAPTURE(prefer, spread, "spread")->Apply(sizes);
BENCHMARK_CAPTURE(prefer, closest, "closest")->Apply(sizes);
BENCHMARK_CAPTURE(prefer, all, "[packed, spread, numa, closest]")->Apply(sizes);

/// Measures the encoding of a list for a stream.
void encode_list(benchmark::State& state) {
  const Size size{.devices = static_cast<size_t>(state.range(0)), .rules = 1, .subsystems = 1};
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  const auto snapshot = node.inventory().last().resources.at(0).snapshot;
  for (auto _ : state) benchmark::DoNotOptimize(list_bytes(*snapshot));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(encode_list)->RangeMultiplier(4)->Range(64, 16'384)->Complexity(benchmark::oN);

}  // namespace
}  // namespace patchbay::bench
