#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/node.h"
#include "bench/world.h"

namespace patchbay::bench {
namespace {

Size size_of(const benchmark::State& state) {
  return {.devices = static_cast<size_t>(state.range(0)),
          .rules = static_cast<size_t>(state.range(1))};
}

/// Measures a start, from the facts of all devices to all lists.
void start(benchmark::State& state, const rules::PlanPtr& plan,
           const std::vector<DeviceFactsPtr>& devices) {
  for (auto _ : state) {
    Node node(plan, devices);
    node.start();
    benchmark::DoNotOptimize(node.units());
  }
  state.SetComplexityN(state.range(0));
}

void start_plain(benchmark::State& state) {
  start(state, plan_of(plain_rules(size_of(state))), plain_devices(size_of(state)));
}
BENCHMARK(start_plain)
    ->ArgsProduct({{512, 2048, 8192}, {50}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

void start_in_units_of_four(benchmark::State& state) {
  start(state, plan_of(grouped_rules(size_of(state))), grouped_devices(size_of(state)));
}
BENCHMARK(start_in_units_of_four)
    ->ArgsProduct({{512, 2048, 8192}, {50}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

/// Measures the resolution after one matched event. All units are computed again, so the time grows
/// with all devices and rules.
void resolve_after_event(benchmark::State& state, const rules::PlanPtr& plan,
                         std::vector<DeviceFactsPtr> devices) {
  Node node(plan, std::move(devices));
  node.start();
  size_t event = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const size_t device = event * 389 % node.devices().size();
    node.on_event(device, changed(*node.devices()[device], ++event));
    state.ResumeTiming();
    node.send_changes();
  }
  state.SetComplexityN(state.range(0) + state.range(1));
}

void resolve_after_event_plain(benchmark::State& state) {
  resolve_after_event(state, plan_of(plain_rules(size_of(state))), plain_devices(size_of(state)));
}
BENCHMARK(resolve_after_event_plain)
    ->ArgsProduct({{512, 2048, 8192}, {8, 64, 512}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

void resolve_after_event_in_units_of_four(benchmark::State& state) {
  resolve_after_event(state, plan_of(grouped_rules(size_of(state))),
                      grouped_devices(size_of(state)));
}
BENCHMARK(resolve_after_event_in_units_of_four)
    ->ArgsProduct({{512, 2048, 8192}, {8, 64}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

/// Measures a resolution without any change.
void resolve_nothing(benchmark::State& state) {
  Node node(plan_of(plain_rules(size_of(state))), plain_devices(size_of(state)));
  node.start();
  for (auto _ : state) node.send_changes();
  state.SetComplexityN(state.range(0));
}
BENCHMARK(resolve_nothing)
    ->ArgsProduct({{512, 2048, 8192}, {50}})
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace patchbay::bench
