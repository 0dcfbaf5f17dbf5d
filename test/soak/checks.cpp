#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "soak/soak.h"

namespace patchbay::soak {
namespace {

namespace fs = std::filesystem;

// A daemon may use this much more than the first one in the same state. The reserve is for
// connections that are about to close, and for threads of gRPC. A leak at every fault soon exceeds
// it.
constexpr size_t kMoreDescriptors = 6;
constexpr size_t kMoreThreads = 16;
constexpr size_t kMoreKib = size_t{16} << 10U;

/// Number of restarts of the kubelet before the first measurement, after which the journal is full,
/// and again before the second one.
constexpr long kRestarts = 500;
/// Memory that each registration may cost for ever. In practice it is a few bytes.
constexpr long kBytesEach = 64;

size_t files_below(const std::string& directory) {
  std::error_code gone;
  size_t count = 0;
  for (fs::recursive_directory_iterator entry(directory, gone), end; entry != end;
       entry.increment(gone)) {
    ++count;
  }
  return count;
}

}  // namespace

bool Soak::says(const std::string& what) const {
  std::cerr << "soak: " << what << '\n';
  return false;
}

/// The expected lists, from a fresh `patchbay discover`.
std::optional<Soak::Lists> Soak::wanted() const {
  const auto look = fake::run_process(
      {fake::patchbay_binary(), "discover", "--config", host_.good_config(), "--output", "json"});
  const auto json = nlohmann::json::parse(look.out, nullptr, false);
  if (look.exit_code != 0 || !json.is_object()) {
    (void)says("discover cannot look: " + look.err);
    return std::nullopt;
  }
  Lists lists;
  for (const auto& resource : json.at("resources")) {
    if (resource.at("name") == "y.io/dra") continue;  // pods_are_right() checks it.
    auto& units = lists[resource.at("name")];
    for (const auto& unit : resource.at("units")) units[unit.at("id")] = unit.at("healthy");
  }
  return lists;
}

std::string Soak::difference(const Lists& wanted) const {
  const auto text_of = [](const auto& units) {
    std::string text;
    for (const auto& [id, healthy] : units) text += ' ' + id + (healthy ? "" : "(unhealthy)");
    return text;
  };
  std::string text;
  for (const auto& [resource, units] : wanted) {
    std::map<std::string, bool> listed;
    const auto latest = kubelet_->latest(resource);
    if (latest) {
      for (const auto& device : *latest->devices) listed[device.id] = device.healthy;
    }
    const size_t streams = kubelet_->streams_open(resource);
    if (latest && listed == units && streams > 0 && streams <= most_streams_) continue;
    text += fmt::format("{}: {} streams, {}, listed{}, wanted{}\n", resource, streams,
                        latest ? "listed" : "never listed", text_of(listed), text_of(units));
  }
  if (kubelet_->streams_open() > wanted.size() * most_streams_) {
    text += fmt::format("{} streams for {} resources\n", kubelet_->streams_open(), wanted.size());
  }
  return text;
}

bool Soak::lists_are_right() const {
  const auto lists = wanted();
  if (!lists) return false;
  std::string wrong;
  const bool right = fake::wait_until([&] {
    Lists now = *lists;
    if (hanging_ && fs::exists(host_.config() + "/hanging.yaml")) {
      // The health of the hung unit is unknown, but the unit must be listed.
      const auto latest = kubelet_->latest("y.io/hanging");
      if (!latest) return false;
      for (const auto& device : *latest->devices) now["y.io/hanging"][device.id] = device.healthy;
    }
    wrong = difference(now);
    return wrong.empty();
  });
  return right ? gives_units(*lists)
               : says("the kubelet's lists are not what the host has:\n" + wrong);
}

bool Soak::pods_are_right() {
  const std::string defect = pods_.settle();
  return defect.empty() || says("DRA: " + defect);
}

bool Soak::gives_units(const Lists& lists) const {
  for (const auto& [resource, units] : lists) {
    const auto healthy = std::ranges::find_if(units, [](const auto& unit) { return unit.second; });
    if (healthy == units.end()) continue;
    // Retries, because the resource may re-register while the daemon applies a changed
    // configuration. The kubelet then disconnects the previous endpoint, which ends a pending call.
    // Also, an equal list can be the one from before a replug, which the daemon notices only now.
    std::string refused;
    const bool decided = fake::wait_until([&] {
      const auto given = kubelet_->allocate(resource, {healthy->first});
      refused = given ? "" : given.error().message;
      return !refused.starts_with("NOT_FOUND: no plugin") && !refused.starts_with("CANCELLED") &&
             !refused.starts_with("FAILED_PRECONDITION");
    });
    if (!decided || !refused.empty()) {
      return says(resource + " does not give " + healthy->first + ": " + refused);
    }
  }
  return true;
}

/// Restores the initial state, in which each daemon must use as much as the first one.
bool Soak::nothing_leaked() {
  start_kubelet(fake::ClientRules::by_name_and_path);
  host_.go_home();
  pods_.end_all();
  if (!lists_are_right() || !pods_are_right()) return false;
  const size_t served = wanted().value_or(Lists{}).size();
  constexpr size_t kChildren = 1;  // patchbay-kube
  // Counts kubelet.sock and the directory of the leader election, and for each resource a socket, a
  // lock and a candidate. The DRA driver has its socket elsewhere.
  const size_t files = 2 + 3 * served + 2;
  Holdings now;
  const bool clean = fake::wait_until([&] {
    now = holdings_of(daemon_->pid());
    if (!at_home_) at_home_ = now;
    return files_below(dir_ / "device-plugins") == files && now.children == kChildren &&
           now.descriptors <= at_home_->descriptors + kMoreDescriptors &&
           now.threads <= at_home_->threads + kMoreThreads &&
           now.resident_kib <= at_home_->resident_kib + kMoreKib;
  });
  std::cout << fmt::format("  at home: {} ({})", now.to_text(), threads_of(daemon_->pid())) << '\n'
            << std::flush;
  return clean || says(fmt::format("the daemon holds {}, and held {}; {} files in the kubelet's "
                                   "directory, wanted {}",
                                   now.to_text(), at_home_->to_text(),
                                   files_below(dir_ / "device-plugins"), files));
}

bool Soak::memory_is_level() {
  const auto lists = wanted();
  if (!lists) return false;
  long before = 0;
  for (long i = 0; i < 2 * kRestarts; ++i) {
    if (i == kRestarts) before = anonymous_kib(daemon_->pid());
    const size_t mark = kubelet_->log().size();
    kubelet_->restart();
    for (const auto& [resource, units] : *lists) {
      const auto any = [](const auto& /*devices*/) { return true; };
      if (!kubelet_->wait_for_list(resource, any, mark)) {
        return says(resource + " is not listed after a restart of the kubelet");
      }
    }
  }
  const long after = anonymous_kib(daemon_->pid());
  const long each =
      (after - before) * 1024 / (kRestarts * std::max<long>(1, static_cast<long>(lists->size())));
  std::cout << fmt::format("  anonymous memory: {} KiB, {} KiB after {} restarts: {} bytes each",
                           before, after, kRestarts, each)
            << '\n'
            << std::flush;
  return each <= kBytesEach ||
         says(fmt::format("each registration costs {} bytes, more than {}", each, kBytesEach));
}

}  // namespace patchbay::soak
