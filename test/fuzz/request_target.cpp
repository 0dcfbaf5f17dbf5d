#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/stubs/logging.h>

#include "base/result.h"
#include "fuzz/must.h"
#include "fuzz/targets.h"
#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "inventory/path_queries.h"
#include "model/facts.h"
#include "plugin/answers.h"
#include "plugin/plugin_messages.h"
#include "rules/compiled.h"

namespace patchbay::fuzz {
namespace {

constexpr const char* kResource = R"yaml(
  - name: a.io/line
    match: {static: [l1, l2, l3, l4, broken]}
    prefer: [packed, closest]
    share: {count: 3, perContainer: 2}
    devices:
      - {hostPath: "/dev/$(name)", containerPath: "/dev/line$(slot)"}
      - {hostPath: /dev/clock, optional: true}
    envs: {LINES: $(id), "LINE_$(slot)": "$(share) of $(shares)"}
)yaml";

/// Four units of three shares each, and one unhealthy unit.
inventory::SnapshotPtr make_snapshot() {
  const auto compiled = rules::compile_resources(kResource);
  must(compiled.plan != nullptr, "a plan", compiled.printed);
  inventory::Inventory inventory(compiled.plan);
  for (const char* name : {"l1", "l2", "l3", "l4", "broken"}) {
    DeviceFacts facts;
    facts.key = static_key(name);
    facts.kind = DeviceKind::static_name;
    facts.name = name;
    inventory.apply(std::make_shared<const DeviceFacts>(std::move(facts)));
  }
  inventory::Healths healths;
  for (const auto& units : inventory.offer()) {
    healths.emplace_back();
    for (const auto& unit : *units) {
      healths.back().push_back(unit->id == "broken"
                                   ? inventory::Health{.healthy = false, .reason = "broken"}
                                   : inventory::Health{});
    }
  }
  return inventory.make_snapshots(inventory::Inventory::Time{std::chrono::hours(1)}, healths)
      .resources.at(0)
      .snapshot;
}

const inventory::Snapshot& snapshot() {
  static const inventory::SnapshotPtr made = make_snapshot();
  return *made;
}

/// The state of a path: /dev/clock exists, and each path is a device node.
inventory::PathState state_of(const std::string& path) {
  return {.exists = path == "/dev/clock",
          .node = DeviceNumber{.block = false, .major = 4, .minor = 64}};
}

/// The allocation of one container, as plugin::AllocateCall makes it.
Result<inventory::Allocation> allocation_of(const std::vector<std::string>& ids) {
  inventory::PathQueries paths([](const std::string& path) {
    return path == "/dev/clock" ? std::optional(state_of(path)) : std::nullopt;
  });
  const auto allocate = [&] {
    auto allocation = inventory::allocate(
        snapshot(), ids,
        [&](const std::string& path, bool device) { return paths.exists(path, device); });
    if (allocation) paths.query_nodes(*allocation);
    return allocation;
  };
  auto allocation = allocate();
  inventory::PathStates states;
  for (const std::string& path : paths.unknown()) states.emplace(path, state_of(path));
  paths.learn(std::move(states));
  allocation = allocate();
  must(paths.unknown().empty(), "one look at all paths is enough");
  if (allocation) {
    const auto number_of = [&](const std::string& path) { return paths.node(path); };
    must(!inventory::find_changed_node(snapshot(), ids, *allocation, number_of),
         "things without a number have not changed");
  }
  return allocation;
}

void check_status(const grpc::Status& status) {
  if (status.ok()) return;
  must(status.error_code() == grpc::StatusCode::FAILED_PRECONDITION, "the code of a refusal");
  must(!status.error_message().empty(), "a refusal has a reason");
  must_be_plain(status.error_message(), "a reason is plain text");
}

void allocate(const std::string& bytes) {
  v1beta1::AllocateRequest request;
  if (!request.ParseFromString(bytes)) return;
  for (const auto& container : request.container_requests()) {
    const std::vector<std::string> ids{container.devices_ids().begin(),
                                       container.devices_ids().end()};
    const auto allocation = allocation_of(ids);
    if (!allocation) {
      must(!allocation.error().message.empty(), "a refusal has a reason");
      must_be_plain(allocation.error().message, "a reason is plain text");
      continue;
    }
    for (const std::string& id : ids) {
      must(snapshot().find_listed(id).has_value(), "only what is ours is given", id);
      must(!id.starts_with("broken"), "only what is healthy is given", id);
    }
    const auto response = plugin::to_response(*allocation);
    must(ids.empty() == !response.envs().contains("LINES"),
         "who asks for nothing gets nothing of a unit");
  }
}

void prefer(const std::string& bytes) {
  v1beta1::PreferredAllocationRequest request;
  if (!request.ParseFromString(bytes)) return;
  v1beta1::PreferredAllocationResponse response;
  check_status(plugin::answer(snapshot(), request, response));
  must(response.container_responses_size() == request.container_requests_size(),
       "an answer for each container");
  for (int i = 0; i < request.container_requests_size(); ++i) {
    const auto& container = request.container_requests(i);
    const auto& chosen = response.container_responses(i).deviceids();
    std::set<std::string> known(container.available_deviceids().begin(),
                                container.available_deviceids().end());
    known.insert(container.must_include_deviceids().begin(),
                 container.must_include_deviceids().end());
    must(chosen.size() <= std::max(0, container.allocation_size()), "no more than was asked for");
    must(std::set<std::string>(chosen.begin(), chosen.end()).size() ==
             static_cast<size_t>(chosen.size()),
         "each id once");
    for (const std::string& id : chosen) must(known.contains(id), "chosen of what is free", id);
  }
}

void start(const std::string& bytes) {
  v1beta1::PreStartContainerRequest request;
  if (!request.ParseFromString(bytes)) return;
  check_status(plugin::start_status(snapshot(), request));
}

}  // namespace

void examine_request(std::string_view data) {
  if (data.empty()) return;
  // Disables the log of protobuf, which has a line for each invalid message.
  const google::protobuf::LogSilencer silent;
  const std::string bytes(data.substr(1));
  switch (data.front()) {
    case 'a':
      return allocate(bytes);
    case 'p':
      return prefer(bytes);
    case 's':
      return start(bytes);
    default:
      return;
  }
}

}  // namespace patchbay::fuzz
