#include "bench/http_flood_bench.h"

#include <atomic>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/bench_daemon.h"
#include "bench/report.h"
#include "fake/http_client.h"
#include "fake/http_floods.h"

namespace patchbay::bench {
namespace {

/// How long each flood lasts.
constexpr std::chrono::seconds kLong{4};

std::vector<Nanoseconds> allocate_until(Bench& bench, Clock::time_point end) {
  std::vector<Nanoseconds> times;
  while (Clock::now() < end) {
    const auto start = Clock::now();
    if (!bench.kubelet().allocate("example.com/null", {"null"})) {
      throw std::runtime_error("Allocate failed");
    }
    times.push_back(Clock::now() - start);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return times;
}

void print_peak(const Bench& bench) {
  print_figure("peak memory",
               fmt::format("{:.1f} MB", static_cast<double>(peak_of(bench.pid())) / 1000.0));
}

void measure_http_flood(const std::string& binary, const fake::HttpFlood& flood,
                        size_t connections) {
  const uint16_t port = fake::free_port();
  Bench bench(binary, header() + "  - {name: \"null\", match: {glob: /dev/null}, id: $(name)}\n",
              {"--listen", "127.0.0.1:" + std::to_string(port), "--page"});
  bench.wait_for_unit("example.com/null", "null", true, 0);
  if (!fake::wait_until([port] { return fake::HttpClient(port).connected(); })) {
    throw std::runtime_error("the daemon does not listen");
  }
  const auto end = Clock::now() + kLong;
  std::jthread flooding([&] {
    fake::flood_http(flood, port, connections, [end](const auto&) { return Clock::now() < end; });
  });
  const auto times = allocate_until(bench, end);
  flooding.join();
  print_times(fmt::format("Allocate, HTTP flood {} from {}", flood.name, connections), times);
  print_peak(bench);
}

}  // namespace

void measure_http_floods(const std::string& binary) {
  for (const fake::HttpFlood& flood : fake::http_floods()) {
    for (const size_t connections : {1U, 200U}) measure_http_flood(binary, flood, connections);
  }
}

}  // namespace patchbay::bench
