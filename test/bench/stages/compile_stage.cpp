#include <cstddef>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/world.h"
#include "rules/compile.h"

namespace patchbay::bench {
namespace {

/// Measures the way from YAML to the plan and its host query. The time grows with the rules.
void compile_rules(benchmark::State& state) {
  const Size size{.rules = static_cast<size_t>(state.range(0))};
  const std::string text = plain_rules(size);
  for (auto _ : state) benchmark::DoNotOptimize(rules::host_query(plan_of(text)));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(compile_rules)->RangeMultiplier(4)->Range(8, 512)->Complexity(benchmark::oN);

}  // namespace
}  // namespace patchbay::bench
