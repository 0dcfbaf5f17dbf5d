#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "model/facts.h"

namespace patchbay {

/// A probe of one unit, with its templates rendered. A plain value; its strings are validated.
struct Check {
  enum class Kind {
    open,        ///< Opens `path`, non-blocking, and closes it at once.
    attributes,  ///< Reads `names` below the device at `syspath`.
    properties,  ///< Reads `names` of `syspath` from udev's database.
    files,       ///< Reads the host files `names`.
    exec,        ///< Runs `arguments`.
    tcp,         ///< Connects to `host`, `port`.
  };
  Kind kind = Kind::open;
  std::string path{};
  bool read = true;  ///< Mode of the open.
  bool write = false;
  std::string syspath{};
  std::vector<std::string> names{};
  std::vector<std::string> arguments{};  ///< The absolute path of the program, and its arguments.
  std::string host{};
  uint16_t port = 0;
  std::chrono::milliseconds timeout{};
  friend bool operator==(const Check&, const Check&) = default;
};

/// The result of a Check.
struct CheckResult {
  enum class Kind {
    done,        ///< The check succeeded; `values` has the data that was read.
    failed,      ///< The check failed, because of the device, program or network.
    cannot_run,  ///< The result is unknown, for instance without permission or memory.
  };
  Kind kind = Kind::done;
  ValueLists values{};   ///< By name. Absent and unreadable values are omitted.
  std::string reason{};  ///< Why `kind` is not `done`; for messages, printable.
};

/// An action before a container starts, with its templates rendered for one unit.
struct Step {
  enum class Kind {
    exec,       ///< Runs `arguments`, which must exit with 0.
    write,      ///< Writes `value` to `path`.
    usb_reset,  ///< Resets the USB device at `path`, a node under /dev/bus/usb.
    wait,       ///< Waits at most `limit` until `path` exists.
  };
  Kind kind = Kind::exec;
  std::vector<std::string> arguments{};
  std::string path{};
  std::string value{};
  std::chrono::milliseconds limit{};
  friend bool operator==(const Step&, const Step&) = default;
};

template <>
inline constexpr std::array<std::string_view, 6> kWords<Check::Kind>{
    "open", "attribute", "property", "file", "exec", "tcp"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<Step::Kind>{"exec", "write", "usbReset",
                                                                    "wait"};

}  // namespace patchbay
