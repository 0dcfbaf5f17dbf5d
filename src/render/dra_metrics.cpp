#include "render/dra_metrics.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/words.h"

namespace patchbay::render {
namespace {

using Type = MetricsText::Type;

constexpr std::array<std::string_view, 5> kPhases{"preparing", "prepared", "releasing",
                                                  "releaseFailed", "unreadable"};

void add_claims(const status::NodeStatus& status, MetricsText& text) {
  std::map<std::string, std::map<std::string_view, uint64_t>> claims;  // By resource and phase.
  for (const status::ResourceStatus& resource : status.resources) {
    const rules::ResourcePlan& plan = *resource.resolved.snapshot->resource;
    if (plan.serve == config::Serve::dra) claims[plan.name];
  }
  for (const status::DraDriver& driver : status.dra) {
    for (const status::DraClaim& claim : driver.claims) {
      std::set<std::string_view> resources;
      for (const auto& device : claim.devices) resources.insert(device.resource);
      if (resources.empty()) resources.insert("");  // Its record and its CDI spec are unreadable.
      for (const std::string_view resource : resources) {
        ++claims[std::string(resource)][claim.phase];
      }
    }
  }
  text.family("patchbay_dra_claims", Type::gauge,
              "ResourceClaims that have units of the resource, by phase.");
  for (auto& [resource, by_phase] : claims) {
    for (const std::string_view phase : kPhases) {
      text.sample({{"resource", resource}, {"phase", phase}}, by_phase[phase]);
    }
  }
}

}  // namespace

void add_dra_metrics(const status::NodeStatus& status, const status::Counters& counters,
                     MetricsText& text) {
  if (status.dra.empty()) return;
  add_claims(status, text);
  text.family("patchbay_dra_prepare_duration_seconds", Type::histogram,
              "How long NodePrepareResources calls took, from arrival to answer.");
  if (counters.dra_prepares.values().up_to.back() > 0) text.sample({}, counters.dra_prepares);
  text.family("patchbay_dra_slice_writes_total", Type::counter,
              "Writes of ResourceSlices, by result.");
  for (size_t i = 0; i < counters.slice_writes.size(); ++i) {
    text.sample({{"result", kWords<status::SliceWrite>[i]}}, counters.slice_writes[i].value());
  }
  const auto add_flag = [&](std::string_view name, std::string_view help,
                            bool status::DraDriver::*flag) {
    text.family(name, Type::gauge, help);
    for (const status::DraDriver& driver : status.dra) {
      if (!driver.standby) text.sample({{"driver", driver.name}}, uint64_t{driver.*flag});
    }
  };
  add_flag("patchbay_dra_api_up", "Whether the API server answered the driver's last request.",
           &status::DraDriver::api_up);
  add_flag("patchbay_dra_registered", "Whether the kubelet has the DRA driver.",
           &status::DraDriver::registered);
}

}  // namespace patchbay::render
