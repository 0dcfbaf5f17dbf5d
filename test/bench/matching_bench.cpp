// Measures matching, resolving and choosing, without a host and in one process:
//   matching_bench [DEVICES [GROUPS]]
// The times are of the CPU: what else the machine does counts little.
#include <time.h>

#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/report.h"
#include "fake/facts.h"
#include "inventory/inventory.h"
#include "inventory/preferred_units.h"
#include "rules/compiled.h"

namespace patchbay::bench {
namespace {

using inventory::Inventory;

constexpr int kRuns = 11;
constexpr int kEvents = 100;
constexpr size_t kSubsystems = 5;
constexpr Inventory::Time kNow{std::chrono::hours(1)};

struct World {
  std::string name;
  rules::PlanPtr plan;
  std::vector<DeviceFactsPtr> devices;
};

/// How much there is.
struct Size {
  size_t devices = 10'000;
  size_t groups = 200;
};

std::string subsystem_of(size_t group) { return fmt::format("sub{}", group % kSubsystems); }

/// A USB device of that group, about as much as rules ask of one.
DeviceFacts device(size_t number, size_t group, const std::string& subsystem) {
  DeviceFacts facts;
  const std::string port = fmt::format("0000:00:14.0-usbv2-{}", number);
  facts.name = fmt::format("{}x{}", subsystem, number);
  facts.key = fmt::format("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-{}/1-{}:1.0/{}", number,
                          number, facts.name);
  facts.subsystem = subsystem;
  facts.devnode = "/dev/" + facts.name;
  facts.number = DeviceNumber{.block = false,
                              .major = static_cast<uint32_t>(200 + group),
                              .minor = static_cast<uint32_t>(number)};
  facts.known = {
      {Fact::usb, "vendor", "0403"},
      {Fact::usb, "product", fmt::format("{:04x}", group)},
      {Fact::usb, "serial", fmt::format("LAB{}", number)},
      {Fact::usb, "port", port},
      {Fact::usb, "interface", "00"},
      {Fact::property, "ID_MODEL", fmt::format("Adapter {}", group)},
      {Fact::property, "ID_VENDOR_FROM_DATABASE", "Future Technology Devices International"},
      {Fact::link, "", "/dev/serial/by-id/usb-FTDI_LAB" + std::to_string(number)},
      {Fact::link, "", "/dev/serial/by-path/" + port}};
  return facts;
}

rules::PlanPtr plan_of(const std::string& resources) {
  auto compiled = rules::compile_resources(resources);
  if (!compiled.plan) throw std::runtime_error(compiled.printed);
  return compiled.plan;
}

/// Each device is a unit. Many groups look at one subsystem, and tell their devices by the product.
World plain_world(const Size& size) {
  std::string config;
  for (size_t group = 0; group < size.groups; ++group) {
    config += fmt::format(
        "  - name: a.io/r{0}\n"
        "    match: {{subsystem: {1}, usb: {{vendor: \"0403\", product: \"{0:04x}\"}},"
        " property: {{ID_MODEL: \"Adapter *\"}}}}\n"
        "    devices: [{{hostPath: $(link.by-id), containerPath: /dev/r{0}-uart$(slot)}}]\n"
        "    envs: {{R{0}_SERIALS: $(usb.serial)}}\n",
        group, subsystem_of(group));
  }
  World world{"alone", plan_of(config), {}};
  for (size_t i = 0; i < size.devices; ++i) {
    const size_t group = i % size.groups;
    world.devices.push_back(
        std::make_shared<const DeviceFacts>(device(i, group, subsystem_of(group))));
  }
  return world;
}

/// Four devices are a unit: what the group matches, two of a member, one of another.
World grouped_world(const Size& size) {
  std::string config;
  for (size_t group = 0; group < size.groups; ++group) {
    config += fmt::format(
        "  - name: a.io/r{0}\n"
        "    match: {{subsystem: {1}, usb: {{product: \"{0:04x}\"}}}}\n"
        "    by: $(usb.port)\n"
        "    members:\n"
        "      pair: {{match: {{subsystem: pair}}, count: 2}}\n"
        "      rest: {{match: {{subsystem: rest}}, count: 0+}}\n"
        "    envs: {{R{0}_PAIRS: $(pair.devnode), R{0}_SERIALS: $(usb.serial)}}\n",
        group, subsystem_of(group));
  }
  World world{"in units of four", plan_of(config), {}};
  for (size_t i = 0; i + 4 <= size.devices; i += 4) {
    const size_t group = i / 4 % size.groups;
    for (const std::string& subsystem :
         {subsystem_of(group), std::string("pair"), std::string("pair"), std::string("rest")}) {
      const size_t number = world.devices.size();
      DeviceFacts facts = device(number, group, subsystem);
      fake::set(facts, Fact::usb, "port", {fmt::format("0000:00:14.0-usbv2-{}", i / 4)});
      world.devices.push_back(std::make_shared<const DeviceFacts>(std::move(facts)));
    }
  }
  return world;
}

Nanoseconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

Nanoseconds time_of(const std::function<void()>& work) {
  const auto start = cpu_time();
  work();
  return cpu_time() - start;
}

/// The same device with another fact.
DeviceFactsPtr changed(const DeviceFactsPtr& facts, int run) {
  DeviceFacts copy = *facts;
  fake::set(copy, Fact::property, "ID_MODEL",
            {fmt::format("{} rev {}", copy.known.first(Fact::property, "ID_MODEL"), run)});
  return std::make_shared<const DeviceFacts>(std::move(copy));
}

void measure_scans(const World& world) {
  std::vector<Nanoseconds> apply;
  std::vector<Nanoseconds> resolve;
  size_t units = 0;
  for (int run = 0; run < kRuns; ++run) {
    Inventory inventory(world.plan);
    apply.push_back(time_of([&] {
      for (const DeviceFactsPtr& facts : world.devices) inventory.apply(facts);
    }));
    resolve.push_back(time_of([&] { inventory.resolve(kNow); }));
    units = 0;
    for (const auto& resource : inventory.last().resources) {
      units += resource.snapshot->units.size();
    }
  }
  print_figure(world.name, fmt::format("{} devices, {} groups, {} units", world.devices.size(),
                                       world.plan->resources.size(), units));
  print_times("  scan: apply all", apply);
  print_times("  scan: first resolve", resolve);
}

void measure_events(const World& world) {
  Inventory inventory(world.plan);
  for (const DeviceFactsPtr& facts : world.devices) inventory.apply(facts);
  inventory.resolve(kNow);
  std::vector<Nanoseconds> apply;
  std::vector<Nanoseconds> resolve;
  std::vector<Nanoseconds> idle;
  for (int run = 0; run < kEvents; ++run) {
    const auto& facts = world.devices[static_cast<size_t>(run) * 7919 % world.devices.size()];
    const DeviceFactsPtr next = changed(facts, run);
    apply.push_back(time_of([&] { inventory.apply(next); }));
    resolve.push_back(time_of([&] { inventory.resolve(kNow); }));
    idle.push_back(time_of([&] { inventory.resolve(kNow); }));
  }
  print_times("  event: apply one", apply);
  print_times("  event: resolve", resolve);
  print_times("  resolve, nothing changed", idle);
}

void measure_wanted(const World& world) {
  const auto query = rules::host_query(world.plan);
  std::vector<DeviceFacts> cheap;
  for (const DeviceFactsPtr& facts : world.devices) {
    DeviceFacts& one = cheap.emplace_back();
    one.key = facts->key;
    one.name = facts->name;
    one.subsystem = facts->subsystem;
    one.devnode = facts->devnode;
    one.number = facts->number;
  }
  std::vector<Nanoseconds> times;
  for (int run = 0; run < kRuns; ++run) {
    times.push_back(time_of([&] {
      for (const DeviceFacts& facts : cheap) {
        if (!query->wanted(facts).relevant) throw std::runtime_error("not wanted: " + facts.key);
      }
    }));
  }
  print_times("  what to read of each device, all", times);
}

/// Functions below 32 ports of each of 8 switches, on two nodes.
DeviceFacts function(size_t number) {
  DeviceFacts facts;
  const size_t port = number % 8;
  facts.name = fmt::format("vf{}", number);
  facts.key = fmt::format(
      "/sys/devices/pci{0:04x}:00/{0:04x}:00:01.0/{0:04x}:01:00.0/{0:04x}:02:{1:02x}.0/{2}", port,
      number / 8 % 32, facts.name);
  facts.subsystem = "pci";
  fake::set(facts, Fact::numa_node, {port < 4 ? "0" : "1"});
  return facts;
}

void measure_choice(const std::string& prefer) {
  constexpr size_t kUnits = 1000;
  constexpr size_t kSize = 8;
  Inventory inventory(plan_of(
      "  - {name: a.io/vf, match: {subsystem: pci}, id: $(name), prefer: " + prefer + "}\n"));
  inventory.set_online_nodes({0, 1});
  for (size_t i = 0; i < kUnits; ++i) {
    inventory.apply(std::make_shared<const DeviceFacts>(function(i)));
  }
  const auto snapshot = inventory.resolve(kNow).resources.at(0).snapshot;
  std::vector<std::string> available;
  for (const auto& unit : snapshot->units) available.push_back(unit.id);
  std::vector<Nanoseconds> times;
  for (int run = 0; run < kEvents; ++run) {
    times.push_back(time_of([&] {
      if (inventory::preferred_units(*snapshot, available, {}, kSize).size() != kSize) {
        throw std::runtime_error("nothing to choose from");
      }
    }));
  }
  print_times(fmt::format("choose {} of {}, {}", kSize, snapshot->units.size(), prefer), times);
}

int main_of(const Size& size) {
  for (const std::string prefer :
       {"numa", "packed", "spread", "closest", "[packed, spread, numa, closest]"}) {
    measure_choice(prefer);
  }

  for (const World& world : {plain_world(size), grouped_world(size)}) {
    measure_scans(world);
    measure_events(world);
    measure_wanted(world);
  }
  return 0;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) {
  try {
    patchbay::bench::Size size;
    if (argc > 1) size.devices = std::stoul(argv[1]);
    if (argc > 2) size.groups = std::stoul(argv[2]);
    return patchbay::bench::main_of(size);
  } catch (const std::exception& error) {
    fmt::print(stderr, "matching_bench: {}\n", error.what());
    return 1;
  }
}
