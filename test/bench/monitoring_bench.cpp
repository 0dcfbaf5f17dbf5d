#include "bench/monitoring_bench.h"

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/bench_daemon.h"
#include "bench/report.h"
#include "fake/http_client.h"
#include "fake/temp_dir.h"

namespace patchbay::bench {
namespace {

constexpr int kResources = 200;
constexpr int kScrapes = 500;
constexpr int kClients = 50;
constexpr int kPlugs = 2000;

/// A configuration of many resources with one unit each, and of one resource whose units appear and
/// disappear.
std::string config_of(const fake::TempDir& files) {
  std::string config = header();
  for (int i = 0; i < kResources; ++i) {
    files.write(fmt::format("unit{}", i), "");
    config += fmt::format("  - {{name: r{}, match: {{glob: {}/unit{}}}, id: $(name)}}\n", i,
                          files.path(), i);
  }
  return config + "  - {name: plug, match: {glob: " + files.path() + "/plug*}, id: $(name)}\n";
}

/// Measures the daemon's CPU time per scrape on a persistent connection.
void measure_scrapes(const Bench& bench, const std::string& path, const std::string& end) {
  fake::HttpClient client(bench.status_socket());
  const auto scrape = [&] {
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    if (!client.read_until(end)) throw std::runtime_error("no response to " + path);
  };
  scrape();
  const auto before = cpu_of(bench.pid());
  for (int i = 0; i < kScrapes; ++i) scrape();
  const auto taken = cpu_of(bench.pid()) - before;
  print_figure(fmt::format("CPU of {}, {} resources", path, kResources + 1),
               fmt::format("{:.2f} ms (mean of {})", static_cast<double>(taken.count()) / kScrapes,
                           kScrapes));
}

std::vector<Nanoseconds> plugs(Bench& bench, const fake::TempDir& files) {
  std::vector<Nanoseconds> times;
  for (int i = 0; i < kPlugs; ++i) {
    const std::string name = fmt::format("plug{}", i);
    const size_t mark = bench.kubelet().log().size();
    const auto start = Clock::now();
    files.write(name, "");
    times.push_back(bench.wait_for_unit("example.com/plug", name, true, mark) - start);
    std::filesystem::remove(files / name);
    bench.wait_for(
        "example.com/plug", [](const Devices& all) { return all.empty(); }, mark);
  }
  return times;
}

}  // namespace

void measure_monitoring(const std::string& binary) {
  const fake::TempDir files;
  Bench bench(binary, config_of(files));
  for (int i = 0; i < kResources; ++i) {
    bench.wait_for(fmt::format("example.com/r{}", i), [](const Devices&) { return true; });
  }
  bench.wait_for("example.com/plug", [](const Devices&) { return true; });
  measure_scrapes(bench, "/metrics", "\nprocess_start_time_seconds ");
  measure_scrapes(bench, "/status?units=false&refused=false", "\"excluded\":");
  measure_scrapes(bench, "/status", "\"excluded\":");
  print_times("file created -> list, no clients", plugs(bench, files));
  std::atomic<bool> ends = false;
  std::atomic<int> answers = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, path = i % 2 == 0 ? "/metrics" : "/status"] {
      while (!ends) {
        if (fake::http_get(bench.status_socket(), path).starts_with("HTTP/1.1 200")) ++answers;
      }
    });
  }
  while (answers < kClients) std::this_thread::yield();
  answers = 0;
  const auto begun = Clock::now();
  const auto times = plugs(bench, files);
  const std::chrono::duration<double> lasted = Clock::now() - begun;
  ends = true;
  clients.clear();
  print_times(fmt::format("file created -> list, {} clients send requests", kClients), times);
  print_figure("responses to these clients", fmt::format("{:.0f}/s", answers / lasted.count()));
  const Memory memory = memory_of(bench.pid());
  print_figure("RSS afterwards",
               fmt::format("{:.1f} MB", static_cast<double>(memory.resident_kib) / 1000.0));
}

}  // namespace patchbay::bench
