#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

/// What was heard of the host so far, and what came of it. A plain value.
struct EventCounts {
  uint64_t kernel = 0;  ///< Events of devices, by who told of them.
  uint64_t udev = 0;
  uint64_t database = 0;
  uint64_t links = 0;      ///< Of network interfaces.
  uint64_t overflows = 0;  ///< Times that events were lost.
  uint64_t rescans = 0;    ///< Times that everything was looked at again.
  uint64_t reads = 0;      ///< Of one thing each.

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

/// Where events of the host come from.
struct EventSource {
  std::string_view name;   ///< "kernel", "udev", "links", "paths"
  std::string degraded{};  ///< For people: what it does not tell; empty: all is well.
};

using EventSources = std::vector<EventSource>;

}  // namespace patchbay
