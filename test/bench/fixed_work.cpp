// Constant work that check_costs.py measures in instructions and allocations instead of time. The
// work uses no host, one process and one thread. The program has no arguments.
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/json_text.h"
#include "bench/calls.h"
#include "bench/node.h"
#include "bench/sections.h"
#include "bench/status.h"
#include "bench/world.h"
#include "inventory/inventory.h"
#include "inventory/preferred_units.h"
#include "inventory/unit_checks.h"
#include "inventory/unit_health.h"
#include "plugin/resource_channel.h"
#include "render/metrics.h"
#include "render/status_json.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"
#include "rules/plan/probe.h"

namespace patchbay::bench {
namespace {

using inventory::Inventory;
using inventory::SnapshotPtr;

/// The device of the nth event. Each device has one event, and successive events are of distant
/// devices.
size_t device_of_event(size_t event, size_t devices) { return event * 389 % devices; }

void compile(const Size& size) {
  const std::string text = plain_rules(size);
  rules::PlanPtr plan;
  HostQueryPtr query;
  section(fmt::format("compile {} rules", size.rules), size.rules, Result::stays, [&] {
    plan = plan_of(text);
    query = rules::host_query(plan);
  });
  expect(plan->resources.size() == size.rules, "a rule is a resource");
}

/// Measures the first compilation, in which libraries also build their tables.
void compile_first() {
  rules::PlanPtr plan;
  section("compile the first rule, with one-time work", 1, Result::stays,
          [&] { plan = plan_of(plain_rules({.rules = 1})); });
}

void start(const Size& size) {
  std::vector<DeviceFactsPtr> devices;
  devices.reserve(size.devices);
  section(fmt::format("facts of {} devices", size.devices), size.devices, Result::stays, [&] {
    for (size_t i = 0; i < size.devices; ++i) {
      devices.push_back(std::make_shared<const DeviceFacts>(device(size, i, i % size.rules)));
    }
  });
  Node node(plan_of(plain_rules(size)), std::move(devices));
  section(fmt::format("start with {} units", size.devices), size.devices, Result::stays,
          [&] { node.start(); });
  expect(node.units() == size.devices, "each device is a unit");
}

void start_with_files(size_t count) {
  std::vector<DeviceFactsPtr> files;
  for (size_t i = 0; i < count; ++i) files.push_back(std::make_shared<const DeviceFacts>(file(i)));
  Node node(plan_of(path_rule()), std::move(files));
  section(fmt::format("start with {} files, a probe of each", count), count, Result::stays,
          [&] { node.start(); });
  expect(node.units() == count, "each file is a unit");
}

void start_with_groups(const Size& size) {
  Node node(plan_of(grouped_rules(size)), grouped_devices(size));
  section(fmt::format("start with {} units of 4 devices", size.devices / 4), size.devices / 4,
          Result::stays, [&] { node.start(); });
  expect(node.units() == size.devices / 4, "four devices are a unit");
}

void events(const Size& size) {
  constexpr size_t kEvents = 1'000;
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  std::vector<DeviceFactsPtr> next;
  for (size_t event = 0; event < kEvents; ++event) {
    next.push_back(changed(*node.devices()[device_of_event(event, size.devices)], event));
  }
  section("1000 events that change a device", kEvents, Result::passes, [&] {
    for (size_t event = 0; event < kEvents; ++event) {
      node.on_event(device_of_event(event, size.devices), next[event]);
      node.send_changes();
    }
  });
  section("1000 events that plug and unplug", kEvents, Result::passes, [&] {
    for (size_t event = 0; event < kEvents / 2; ++event) {
      const size_t device = device_of_event(event, size.devices);
      node.inventory().remove(next[event]->key);
      node.send_changes();
      node.on_event(device, next[event]);
      node.send_changes();
    }
  });
  expect(node.units() == size.devices, "each device is a unit again");
}

/// Measures what an event costs before units are computed: its device is matched against the rules
/// of its subsystem.
void match(const Size& size) {
  constexpr size_t kEvents = 500;
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  std::vector<DeviceFactsPtr> next;
  for (size_t event = 0; event < kEvents; ++event) {
    next.push_back(changed(*node.devices()[event], event));
  }
  section(fmt::format("match 500 devices, {} rules of {} subsystems", size.rules, size.subsystems),
          kEvents, Result::passes, [&] {
            for (size_t event = 0; event < kEvents; ++event) node.on_event(event, next[event]);
          });
}

void no_rule(const Size& size) {
  const auto plan = plan_of(plain_rules(size));
  const auto query = rules::host_query(plan);
  DeviceFacts other = cheap_of(device(size, 0, 0));
  other.subsystem = "other";
  section("1000 events of other subsystems", 1'000, Result::passes, [&] {
    for (int event = 0; event < 1'000; ++event) {
      expect(!query->wanted(other).relevant, "no rule evaluates it");
    }
  });
}

void allocate(size_t units) {
  const Size size{.devices = units, .rules = 1, .subsystems = 1};
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  const SnapshotPtr snapshot = node.inventory().last().resources.at(0).snapshot;
  size_t bytes = 0;
  section(fmt::format("1000 Allocates, {} units", units), 1'000, Result::passes, [&] {
    for (size_t call = 0; call < 1'000; ++call) {
      bytes += allocate_one(*snapshot, device_of_event(call, units));
    }
  });
  section(fmt::format("10 lists of {} units", units), 10 * units, Result::passes, [&] {
    for (int list = 0; list < 10; ++list) bytes += list_bytes(*snapshot);
  });
  expect(bytes > 0, "answers are not empty");
}

/// Measures a list for several streams, which share its bytes.
void stream(size_t streams) {
  const Size size{.rules = 1, .subsystems = 1};
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  const SnapshotPtr snapshot = node.inventory().last().resources.at(0).snapshot;
  plugin::SharedList list;
  std::vector<plugin::SharedList::Bytes> sent;
  section(fmt::format("a list of 1000 units, streams: {}", streams), size.devices, Result::passes,
          [&] {
            for (size_t i = 0; i < streams; ++i) sent.push_back(list.of(snapshot));
          });
  expect(sent.back()->size() > size.devices, "each unit is in it");
}

void prefer() {
  constexpr size_t kUnits = 1'000;
  Inventory inventory(plan_of("  - {name: a.io/vf, match: {subsystem: pci}, id: $(name)}\n"));
  inventory.set_online_nodes({0, 1});
  for (size_t i = 0; i < kUnits; ++i) {
    inventory.apply(std::make_shared<const DeviceFacts>(function(i)));
  }
  const SnapshotPtr snapshot = inventory.resolve(kNow).resources.at(0).snapshot;
  std::vector<std::string> ids;
  for (const auto& unit : snapshot->units) ids.push_back(unit.id);
  section("10 preferred allocations of 8 of 1000 units", 10, Result::passes, [&] {
    for (int call = 0; call < 10; ++call) {
      expect(inventory::preferred_units(*snapshot, ids, {}, 8).size() == 8, "there are enough");
    }
  });
}

void probe() {
  constexpr size_t kUnits = 1'000;
  std::vector<DeviceFactsPtr> files;
  for (size_t i = 0; i < kUnits; ++i) files.push_back(std::make_shared<const DeviceFacts>(file(i)));
  Node node(plan_of(path_rule()), std::move(files));
  node.start();
  const auto snapshot = node.inventory().last().resources.at(0).snapshot;
  const rules::GroupPlan& group = snapshot->resource->groups[0];
  std::vector<inventory::UnitHealth> healths;
  healths.reserve(kUnits);
  std::vector<CheckResult> results;
  section("health of 1000 units", kUnits, Result::stays, [&] {
    for (const auto& unit : snapshot->units) {
      healths.emplace_back(group, *unit.checks);
    }
  });
  for (const auto& unit : snapshot->units) {
    results.push_back({.values = {{unit.checks->probes[0].check.names.at(0), {"ready"}}}});
  }
  section("1000 unchanged probe results", 1'000, Result::passes, [&] {
    for (size_t result = 0; result < 1'000; ++result) {
      const size_t unit = result % kUnits;
      const inventory::UnitProbe& of = snapshot->units[unit].checks->probes[0];
      healths[unit].take(0, healths[unit].begin(0),
                         rules::judge(of.check, of.conditions, results[unit]));
      expect(healths[unit].health().healthy, "each file is ready");
    }
  });
}

void render(const Size& size) {
  Node node(plan_of(plain_rules(size)), plain_devices(size));
  node.start();
  status::Counters counters;
  const status::NodeStatus status = status_of(node.inventory(), counters);
  size_t bytes = 0;
  section(fmt::format("metrics, {} resources", size.rules), size.rules, Result::passes,
          [&] { bytes += render::metrics(status, counters).size(); });
  section(fmt::format("metrics, a series for each of {} units", size.devices), size.devices,
          Result::passes,
          [&] { bytes += render::metrics(status, counters, {.per_unit = true}).size(); });
  section(fmt::format("status as JSON, {} units", size.devices), size.devices, Result::passes,
          [&] { bytes += json_text(render::status_json(status, counters), -1).size(); });
  expect(bytes > 0, "the text is not empty");
}

void all_work() {
  const Size size;
  compile_first();
  compile(size);
  compile({.rules = 2 * size.rules});
  start(size);
  start({.devices = 2 * size.devices});
  start_with_files(1'000);
  start_with_groups(size);
  events(size);
  match(size);
  match({.rules = 2 * size.rules, .subsystems = 2 * size.subsystems});
  no_rule(size);
  allocate(1'000);
  allocate(2'000);
  stream(1);
  stream(8);
  prefer();
  probe();
  render(size);
}

}  // namespace
}  // namespace patchbay::bench

int main() {
  try {
    patchbay::bench::all_work();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fixed_work: {}\n", error.what());
    return 1;
  }
}
