#include "bench/world.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "fake/facts.h"
#include "rules/compiled.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kPattern = "/srv/lab/*";

}  // namespace

std::string plain_rules(const Size& size) {
  std::string rules;
  for (size_t rule = 0; rule < size.rules; ++rule) {
    rules += fmt::format(
        "  - name: a.io/r{0}\n"
        "    match: {{subsystem: {1}, usb: {{vendor: \"0403\", product: \"{0:04x}\"}},"
        " property: {{ID_MODEL: \"Adapter *\"}}}}\n"
        "    devices: [{{hostPath: $(link.by-id), containerPath: /dev/r{0}-uart$(slot)}}]\n"
        "    envs: {{R{0}_SERIALS: $(usb.serial)}}\n",
        rule, subsystem_of(size, rule));
  }
  return rules;
}

std::string grouped_rules(const Size& size) {
  std::string rules;
  for (size_t rule = 0; rule < size.rules; ++rule) {
    rules += fmt::format(
        "  - name: a.io/r{0}\n"
        "    match: {{subsystem: {1}, usb: {{product: \"{0:04x}\"}}}}\n"
        "    by: $(usb.socket)\n"
        "    members:\n"
        "      pair: {{match: {{subsystem: pair}}, size: 2}}\n"
        "      rest: {{match: {{subsystem: rest}}, size: 0+}}\n"
        "    envs: {{R{0}_PAIRS: $(pair.devnode), R{0}_SERIALS: $(usb.serial)}}\n",
        rule, subsystem_of(size, rule));
  }
  return rules;
}

std::string path_rule() {
  return fmt::format(
      "  - name: a.io/file\n"
      "    match: {{glob: {}}}\n"
      "    id: $(name)\n"
      "    mounts: [{{hostPath: $(path), containerPath: /lab/$(name)}}]\n"
      "    health: [{{file: {{$(path): ready}}}}]\n",
      kPattern);
}

rules::PlanPtr plan_of(const std::string& resources) {
  auto compiled = rules::compile_resources(resources);
  if (!compiled.plan) throw std::runtime_error(compiled.printed);
  return compiled.plan;
}

std::string subsystem_of(const Size& size, size_t rule) {
  return fmt::format("sub{}", rule % size.subsystems);
}

DeviceFacts device(const Size& size, size_t number, size_t rule) {
  DeviceFacts facts;
  facts.subsystem = subsystem_of(size, rule);
  const std::string port = fmt::format("0000:00:14.0-usbv2-{}", number);
  facts.name = fmt::format("{}x{}", facts.subsystem, number);
  facts.key = fmt::format("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-{}/1-{}:1.0/{}", number,
                          number, facts.name);
  facts.devnode = "/dev/" + facts.name;
  facts.number = DeviceNumber{.block = false,
                              .major = static_cast<uint32_t>(200 + rule),
                              .minor = static_cast<uint32_t>(number)};
  facts.known = {
      {Fact::usb, "vendor", "0403"},
      {Fact::usb, "product", fmt::format("{:04x}", rule)},
      {Fact::usb, "serial", fmt::format("LAB{}", number)},
      {Fact::usb, "socket", port},
      {Fact::usb, "socket", port},
      {Fact::usb, "interface", "00"},
      {Fact::property, "ID_MODEL", fmt::format("Adapter {}", rule)},
      {Fact::property, "ID_VENDOR_FROM_DATABASE", "Future Technology Devices International"},
      {Fact::link, "", "/dev/serial/by-id/usb-FTDI_LAB" + std::to_string(number)},
      {Fact::link, "", "/dev/serial/by-path/" + port}};
  return facts;
}

std::vector<DeviceFactsPtr> plain_devices(const Size& size) {
  std::vector<DeviceFactsPtr> devices;
  for (size_t i = 0; i < size.devices; ++i) {
    devices.push_back(std::make_shared<const DeviceFacts>(device(size, i, i % size.rules)));
  }
  return devices;
}

std::vector<DeviceFactsPtr> grouped_devices(const Size& size) {
  std::vector<DeviceFactsPtr> devices;
  for (size_t i = 0; i + 4 <= size.devices; i += 4) {
    const size_t rule = i / 4 % size.rules;
    for (const char* const member : {"", "pair", "pair", "rest"}) {
      DeviceFacts facts = device(size, devices.size(), rule);
      if (*member != '\0') facts.subsystem = member;
      fake::set(facts, Fact::usb, "socket", {fmt::format("0000:00:14.0-usbv2-{}", i / 4)});
      devices.push_back(std::make_shared<const DeviceFacts>(std::move(facts)));
    }
  }
  return devices;
}

DeviceFacts file(size_t number) {
  DeviceFacts facts;
  facts.kind = DeviceKind::path;
  facts.name = fmt::format("unit-{}", number);
  facts.key = "/srv/lab/" + facts.name;
  facts.path_type = PathType::file;
  facts.found_by = {{std::string(kPattern), facts.key}};
  return facts;
}

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

DeviceFacts cheap_of(const DeviceFacts& facts) {
  DeviceFacts cheap = facts;
  cheap.known = {};
  cheap.ancestors.clear();
  return cheap;
}

DeviceFactsPtr changed(const DeviceFacts& facts, size_t round) {
  DeviceFacts copy = facts;
  fake::set(copy, Fact::property, "ID_MODEL", {fmt::format("Adapter round {}", round)});
  return std::make_shared<const DeviceFacts>(std::move(copy));
}

}  // namespace patchbay::bench
