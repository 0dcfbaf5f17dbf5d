#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "base/words.h"

namespace patchbay {

/// Something to find out about the host for one unit: a probe with all its texts rendered. A plain
/// value; strings in it were checked for their use.
struct Check {
  enum class Kind {
    open,        ///< Opens `path`, non-blocking, and closes it at once.
    attributes,  ///< Reads `names` below the device at `syspath`.
    properties,  ///< Reads `names` of the device at `syspath` from udev's database.
    files,       ///< Reads the files `names` of the host.
    exec,        ///< Runs `arguments`.
    tcp,         ///< Connects to `host`, `port`.
  };
  Kind kind = Kind::open;
  std::string path{};
  bool read = true;  ///< How it is opened.
  bool write = false;
  std::string syspath{};
  std::vector<std::string> names{};
  std::vector<std::string> arguments{};  ///< The program, absolute, and its arguments.
  std::string host{};
  uint16_t port = 0;
  std::chrono::milliseconds timeout{};
  friend bool operator==(const Check&, const Check&) = default;
};

/// What came of a Check.
struct CheckResult {
  enum class Kind {
    done,        ///< It is so; of what was read, `values` tells.
    failed,      ///< It is not so, as the device, the program or the network says.
    cannot_run,  ///< Nothing is known: no permission, no such program, no memory.
  };
  Kind kind = Kind::done;
  ValueLists values{};   ///< Absent and unreadable ones are missing.
  std::string reason{};  ///< Unless done: for people, printable.
};

/// Something to do before a container starts, rendered for one unit.
struct Step {
  enum class Kind {
    exec,       ///< Runs `arguments`, which must end with 0.
    write,      ///< Writes `value` to `path`.
    usb_reset,  ///< Resets the USB device at `path`, its node under /dev/bus/usb.
    wait,       ///< Waits until `path` exists, at most `limit`.
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
