#include <cstddef>

#include <benchmark/benchmark.h>

#include "base/json_text.h"
#include "bench/node.h"
#include "bench/status.h"
#include "bench/world.h"
#include "render/metrics.h"
#include "render/status_json.h"

namespace patchbay::bench {
namespace {

/// Measures the rendering of the status of a node with this number of devices and rules.
template <typename Render>
void render_status(benchmark::State& state, const Size& size, const Render& render) {
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  status::Counters counters;
  const status::NodeStatus status = status_of(node.inventory(), counters);
  for (auto _ : state) benchmark::DoNotOptimize(render(status, counters));
  state.SetComplexityN(state.range(0));
}

void render_metrics(benchmark::State& state) {
  const auto rules = static_cast<size_t>(state.range(0));
  render_status(
      state, {.devices = rules, .rules = rules},
      [](const auto& status, const auto& counters) { return render::metrics(status, counters); });
}
BENCHMARK(render_metrics)
    ->RangeMultiplier(4)
    ->Range(8, 512)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

void render_metrics_per_unit(benchmark::State& state) {
  render_status(state, {.devices = static_cast<size_t>(state.range(0)), .rules = 20},
                [](const auto& status, const auto& counters) {
                  return render::metrics(status, counters, {.per_unit = true});
                });
}
BENCHMARK(render_metrics_per_unit)
    ->RangeMultiplier(4)
    ->Range(64, 16'384)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

void render_json(benchmark::State& state) {
  render_status(state, {.devices = static_cast<size_t>(state.range(0)), .rules = 20},
                [](const auto& status, const auto& counters) {
                  return json_text(render::status_json(status, counters), -1);
                });
}
BENCHMARK(render_json)
    ->RangeMultiplier(4)
    ->Range(64, 16'384)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace patchbay::bench
