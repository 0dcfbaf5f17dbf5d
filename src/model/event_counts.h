#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

/// Counts of events received from the host so far, and of their effects. A plain value.
struct EventCounts {
  uint64_t kernel = 0;     ///< Device events from the kernel.
  uint64_t udev = 0;       ///< Device events from udev.
  uint64_t database = 0;   ///< Records written to udev's database.
  uint64_t links = 0;      ///< Events of network interfaces.
  uint64_t overflows = 0;  ///< Number of times that events were lost.
  uint64_t rescans = 0;    ///< Full rescans.
  uint64_t reads = 0;      ///< Reads of single entities.

  EventCounts& operator+=(const EventCounts& other) {
    kernel += other.kernel;
    udev += other.udev;
    database += other.database;
    links += other.links;
    overflows += other.overflows;
    rescans += other.rescans;
    reads += other.reads;
    return *this;
  }
};

/// A source of events of the host.
struct EventSource {
  std::string_view name;   ///< "kernel", "udev", "links", "paths"
  std::string degraded{};  ///< For people: how the source is degraded. Empty if it works.
};

using EventSources = std::vector<EventSource>;

}  // namespace patchbay
