#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "driver/claim_record.h"

namespace patchbay::driver {

inline constexpr const char* kUid = "0e1c7a52-7f0e-4d0a-9f6a-5d1c2b3a4e5f";

/// A DRA device with a node, as the only device of its request.
inline RecordedDevice disk(const std::string& request, const std::string& unit) {
  const std::string name = "zram-" + unit + "-1a2b3c4d";
  return {.request = request,
          .pool = "node-1",
          .device = name,
          .resource = "lab.example.com/zram",
          .unit = unit,
          .published = {{"name", name}, {"attributes", {{"id", {{"string", unit}}}}}},
          .keys = {"/sys/devices/virtual/block/" + unit},
          .nodes = {
              {.host_path = "/dev/" + unit, .container_path = "/dev/disk0", .permissions = "rw"}}};
}

/// A prepared ResourceClaim with these devices.
inline ClaimRecord prepared(std::vector<RecordedDevice> devices, const std::string& uid = kUid) {
  return {.driver = "patchbay.lab.example.com",
          .uid = uid,
          .name_space = "lab",
          .name = "disk",
          .phase = ClaimPhase::prepared,
          .boot_id = "boot-1",
          .devices = std::move(devices)};
}

/// A record that has a value in each field.
inline ClaimRecord full_record() {
  using std::chrono::seconds;
  RecordedDevice device = disk("fast", "zram0");
  device.keys.emplace_back("block 252:0");
  device.nodes.front().access = {.mode = 0660, .uid = 1000, .gid = 6};
  device.mounts = {{.host_path = "/opt/lab", .container_path = "/opt", .read_only = false}};
  device.cdi_names = {"vendor.example.com/gpu=0"};
  device.steps = {
      {.kind = Step::Kind::exec, .arguments = {"/usr/bin/wipe", "zram0"}},
      {.kind = Step::Kind::wait, .path = "/dev/zram0", .limit = seconds(2)},
      {.kind = Step::Kind::write, .path = "/sys/block/zram0/reset", .value = "1"},
  };
  device.release = {{.kind = Step::Kind::exec, .arguments = {"/usr/bin/wipe", "zram0"}}};
  ClaimRecord record = prepared({std::move(device)});
  record.envs = {{"fast", {{"DISK", "/dev/disk0"}}}};
  record.claim = "fast-disk";
  record.pods = {{.name = "bench", .uid = "5d1c2b3a-0000-4a0a-9f6a-7f0e4d0a9f6a"}};
  record.release_timeout = seconds(300);
  record.release_since = std::chrono::system_clock::time_point(seconds(1'700'000'000));
  record.failure = "exec /usr/bin/wipe: exit code 1";
  return record;
}

inline void PrintTo(const ClaimRecord& record, std::ostream* out) { *out << to_text(record); }

}  // namespace patchbay::driver
