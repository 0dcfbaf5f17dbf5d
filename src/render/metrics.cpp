#include "render/metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "base/words.h"
#include "render/dra_metrics.h"
#include "status/unit_assignments.h"

namespace patchbay::render {
namespace {

using Type = MetricsText::Type;
using inventory::Refusal;
using inventory::Unit;
using State = status::RegistrationStatus::State;
using ByResource = std::map<std::string, std::shared_ptr<const status::ResourceCounters>>;

double seconds_since_epoch(const status::NodeStatus& status,
                           std::chrono::steady_clock::time_point time) {
  const auto at =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(time.time_since_epoch()) +
      status.clock.ahead;
  return std::chrono::duration<double>(at).count();
}

void add_program(const status::NodeStatus& status, MetricsText& text) {
  const status::ProgramStatus& program = status.program;
  text.family("patchbay_build_info", Type::gauge, "The program that runs.");
  text.sample({{"version", program.version}, {"revision", program.commit}}, uint64_t{1});
}

void add_configuration(const status::NodeStatus& status, const status::Counters& counters,
                       MetricsText& text) {
  const status::ConfigurationStatus& configuration = status.configuration;
  text.family("patchbay_config_info", Type::gauge, "The configuration that holds.");
  text.sample({{"hash", configuration.digest}}, uint64_t{1});
  text.family("patchbay_config_generation", Type::gauge,
              "Number of the active configuration, counted from the start.");
  text.sample({}, configuration.number);
  text.family("patchbay_config_loaded_timestamp_seconds", Type::gauge,
              "Time at which the active configuration became active.");
  text.sample({}, seconds_since_epoch(status, configuration.since));
  text.family("patchbay_config_last_reload_successful", Type::gauge,
              "Whether the last configuration that was read is valid and active.");
  text.sample({}, uint64_t{configuration.refused.empty() && !configuration.unresponsive});
  text.family("patchbay_config_reloads_total", Type::counter,
              "Configurations with a changed meaning that were read after the start, by result.");
  text.sample({{"result", "applied"}}, counters.reloads.value());
  text.sample({{"result", "rejected"}}, counters.refused_reloads.value());
}

void add_units(const status::NodeStatus& status, const ByResource& all, MetricsText& text) {
  text.family("patchbay_units", Type::gauge, "Offered units, by health.");
  for (const status::ResourceStatus& resource : status.resources) {
    const auto& units = resource.resolved.snapshot->units;
    const auto healthy = static_cast<uint64_t>(std::ranges::count_if(units, &Unit::healthy));
    const std::string& name = resource.resolved.name();
    text.sample({{"resource", name}, {"state", "healthy"}}, healthy);
    text.sample({{"resource", name}, {"state", "unhealthy"}}, units.size() - healthy);
  }
  text.family("patchbay_units_expected", Type::gauge,
              "Healthy units that the node should have; absent without `expect`.");
  for (const status::ResourceStatus& resource : status.resources) {
    const size_t expected = resource.resolved.snapshot->resource->expected();
    if (expected > 0) text.sample({{"resource", resource.resolved.name()}}, uint64_t{expected});
  }
  text.family("patchbay_units_lost_total", Type::counter,
              "Units whose device was removed or no longer matched; units removed by an edit do "
              "not count.");
  for (const auto& [name, counters] : all) {
    text.sample({{"resource", name}}, counters->units_lost.value());
  }
  text.family("patchbay_listed_devices", Type::gauge,
              "Devices in the kubelet's list: units, shared units once per share.");
  for (const status::ResourceStatus& resource : status.resources) {
    uint64_t listed = 0;
    for (const Unit& unit : resource.resolved.snapshot->units) listed += unit.listed();
    text.sample({{"resource", resource.resolved.name()}}, listed);
  }
  text.family("patchbay_devices_not_offered", Type::gauge,
              "Devices that match a rule and are not offered, by reason.");
  for (const status::ResourceStatus& resource : status.resources) {
    for (size_t kind = 0; kind < kWords<Refusal::Kind>.size(); ++kind) {
      text.sample(
          {{"resource", resource.resolved.name()}, {"reason", kWords<Refusal::Kind>[kind]}},
          static_cast<uint64_t>(std::ranges::count(
              resource.resolved.refusals, static_cast<Refusal::Kind>(kind), &Refusal::kind)));
    }
  }
}

void add_each_unit(const status::NodeStatus& status, MetricsText& text) {
  text.family("patchbay_unit_healthy", Type::gauge, "Whether the unit is healthy.");
  for (const status::ResourceStatus& resource : status.resources) {
    for (const Unit& unit : resource.resolved.snapshot->units) {
      text.sample({{"resource", resource.resolved.name()}, {"unit", unit.id}},
                  uint64_t{unit.healthy});
    }
  }
}

void add_registration(const status::NodeStatus& status, const ByResource& all, MetricsText& text) {
  text.family("patchbay_kubelet_up", Type::gauge, "Whether the kubelet answers.");
  text.sample({}, uint64_t{status.kubelet.unavailable_reason.empty()});
  text.family("patchbay_resource_registered", Type::gauge,
              "Whether the kubelet has the resource's list on an open stream, or its DRA driver.");
  for (const status::ResourceStatus& resource : status.resources) {
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{resource.registration.is_registered()});
  }
  text.family("patchbay_resource_standby", Type::gauge,
              "Whether the resource is in standby, because another instance serves it.");
  for (const status::ResourceStatus& resource : status.resources) {
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{resource.registration.state == State::standby});
  }
  text.family("patchbay_streams_open", Type::gauge, "Open ListAndWatch streams.");
  for (const status::ResourceStatus& resource : status.resources) {
    text.sample({{"resource", resource.resolved.name()}}, uint64_t{resource.registration.streams});
  }
  text.family("patchbay_registrations_total", Type::counter,
              "Registrations with the kubelet, by result.");
  for (const auto& [name, counters] : all) {
    text.sample({{"resource", name}, {"result", "registered"}}, counters->registered.value());
    text.sample({{"resource", name}, {"result", "failed"}}, counters->not_registered.value());
  }
  text.family("patchbay_streams_ended_total", Type::counter,
              "Closed ListAndWatch streams, for any reason.");
  for (const auto& [name, counters] : all) {
    text.sample({{"resource", name}}, counters->streams_ended.value());
  }
  text.family("patchbay_lists_sent_total", Type::counter, "Lists written to ListAndWatch streams.");
  for (const auto& [name, counters] : all) {
    text.sample({{"resource", name}}, counters->lists_sent.value());
  }
  text.family("patchbay_event_to_list_seconds", Type::histogram,
              "Time from a device event to the write of the resulting list.");
  for (const auto& [name, counters] : all) {
    if (counters->event_to_list.values().up_to.back() == 0) continue;
    text.sample({{"resource", name}}, counters->event_to_list);
  }
}

/// Adds the calls of one kind and their durations.
void add_calls(std::string_view total, std::string_view seconds, std::string_view what,
               status::CallCounters status::ResourceCounters::*calls, const ByResource& all,
               MetricsText& text) {
  text.family(total, Type::counter, std::string(what) + " calls, by result.");
  for (const auto& [name, counters] : all) {
    const status::CallCounters& of = (*counters).*calls;
    text.sample({{"resource", name}, {"result", "succeeded"}}, of.answered.value());
    text.sample({{"resource", name}, {"result", "failed"}}, of.refused.value());
  }
  text.family(seconds, Type::histogram,
              "How long " + std::string(what) + " calls took, from arrival to answer.");
  for (const auto& [name, counters] : all) {
    const status::CallCounters& of = (*counters).*calls;
    // A histogram without calls would be twenty useless lines.
    if (of.answered.value() + of.refused.value() > 0) {
      text.sample({{"resource", name}}, of.seconds);
    }
  }
}

void add_probes(const status::NodeStatus& status, const ByResource& all, MetricsText& text) {
  const auto now = [&](std::string_view name, std::string_view help,
                       size_t status::ProbesStatus::*count) {
    text.family(name, Type::gauge, help);
    for (const status::ResourceStatus& resource : status.resources) {
      text.sample({{"resource", resource.resolved.name()}}, uint64_t{resource.probes.*count});
    }
  };
  now("patchbay_probes_running", "Health probes that run.", &status::ProbesStatus::running);
  now("patchbay_probes_overdue", "Health probes that are overdue by more than their period.",
      &status::ProbesStatus::late);
  const auto each = [&](const auto& what) {
    for (const auto& [name, counters] : all) {
      for (size_t kind = 0; kind < kWords<Check::Kind>.size(); ++kind) {
        const status::ProbeCounters& probes = counters->probes_by_kind[kind];
        if (probes.any()) what(name, kWords<Check::Kind>[kind], probes);
      }
    }
  };
  text.family("patchbay_probe_runs_total", Type::counter, "Runs of health probes, by result.");
  each([&](const std::string& name, std::string_view kind, const status::ProbeCounters& probes) {
    text.sample({{"resource", name}, {"probe", kind}, {"result", "passed"}}, probes.passed.value());
    text.sample({{"resource", name}, {"probe", kind}, {"result", "failed"}}, probes.failed.value());
    text.sample({{"resource", name}, {"probe", kind}, {"result", "error"}}, probes.not_run.value());
  });
  text.family("patchbay_probe_duration_seconds", Type::histogram, "Duration of health probes.");
  each([&](const std::string& name, std::string_view kind, const status::ProbeCounters& probes) {
    text.sample({{"resource", name}, {"probe", kind}}, probes.seconds);
  });
}

void add_events(const status::NodeStatus& status, const status::Counters& counters,
                MetricsText& text) {
  const EventCounts& events = status.events;
  text.family("patchbay_device_events_total", Type::counter, "Received device events, by source.");
  text.sample({{"source", "kernel"}}, events.kernel);
  text.sample({{"source", "udev"}}, events.udev);
  text.sample({{"source", "database"}}, events.database);
  text.sample({{"source", "links"}}, events.links);
  text.family("patchbay_event_overflows_total", Type::counter,
              "Times that the kernel dropped events; each led to a rescan.");
  text.sample({}, events.overflows);
  text.family("patchbay_rescans_total", Type::counter, "Rescans of the whole node.");
  text.sample({}, events.rescans);
  text.family("patchbay_device_reads_total", Type::counter, "Reads of a device.");
  text.sample({}, events.reads);
  text.family("patchbay_scan_duration_seconds", Type::histogram,
              "Time from a configuration to the end of its first scan of the node.");
  text.sample({}, counters.scans);
}

void add_process(const status::NodeStatus& status, MetricsText& text) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  text.family("process_cpu_seconds_total", Type::counter, "Processor time used.");
  text.sample({}, seconds(usage.ru_utime) + seconds(usage.ru_stime));
  text.family("process_resident_memory_bytes", Type::gauge, "Memory that is resident.");
  uint64_t pages = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  text.sample({}, resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  text.family("process_open_fds", Type::gauge, "Descriptors that are open.");
  uint64_t descriptors = 0;
  if (const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), closedir);
      directory) {
    while (readdir(directory.get()) != nullptr) ++descriptors;
    descriptors -= std::min<uint64_t>(descriptors, 3);  // ".", "..", and the descriptor of the
                                                        // directory itself.
  }
  text.sample({}, descriptors);
  text.family("process_start_time_seconds", Type::gauge, "When the process began.");
  text.sample({}, seconds_since_epoch(status, status.program.since));
}

/// Adds a series for each allocated unit. Labels are those of device exporters, so that series can
/// be joined. Names in them come from the kubelet.
void add_assignment_metrics(const status::NodeStatus& status, MetricsText& text) {
  text.family("patchbay_pod_resources_up", Type::gauge,
              "Whether PodResources is available, which reports unit allocations.");
  if (status.assignments) {
    text.sample({},
                uint64_t{status.assignments->state == status::PodResourcesStatus::State::ready});
  }
  text.family("patchbay_units_allocated", Type::gauge, "Units that are allocated to a container.");
  for (const status::ResourceStatus& resource : status.resources) {
    if (!status::has_pod_resources(status)) break;
    text.sample({{"resource", resource.resolved.name()}},
                uint64_t{status::assigned_unit_count(status, resource.resolved.name())});
  }
  text.family("patchbay_unit_allocation_info", Type::gauge,
              "The container that the unit is allocated to.");
  if (!status.assignments) return;
  for (const auto& [resource, devices] : *status.assignments->devices) {
    for (const auto& [unit, assigned] : status::assignments_of(status, resource)) {
      for (const status::Assignment& assignment : assigned.assignments) {
        text.sample({{"resource", resource},
                     {"unit", unit},
                     {"namespace", assignment.container->pod_namespace},
                     {"pod", assignment.container->pod},
                     {"container", assignment.container->name}},
                    uint64_t{1});
      }
    }
  }
}

}  // namespace

std::string metrics(const status::NodeStatus& status, const status::Counters& counters,
                    const MetricsQuery& query) {
  MetricsText text;
  const ByResource all = counters.all();
  add_program(status, text);
  add_configuration(status, counters, text);
  add_units(status, all, text);
  if (query.per_unit) add_each_unit(status, text);
  if (query.per_unit) add_assignment_metrics(status, text);
  add_registration(status, all, text);
  add_dra_metrics(status, counters, text);
  add_calls("patchbay_allocate_calls_total", "patchbay_allocate_duration_seconds", "Allocate",
            &status::ResourceCounters::allocate, all, text);
  add_calls("patchbay_preferred_allocation_calls_total",
            "patchbay_preferred_allocation_duration_seconds", "GetPreferredAllocation",
            &status::ResourceCounters::preferred, all, text);
  add_calls("patchbay_pre_start_calls_total", "patchbay_pre_start_duration_seconds",
            "PreStartContainer", &status::ResourceCounters::pre_start, all, text);
  add_probes(status, all, text);
  add_events(status, counters, text);
  add_process(status, text);
  return text.take();
}

}  // namespace patchbay::render
