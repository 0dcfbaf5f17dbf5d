#include "soak/soak.h"

#include <iostream>

#include <fmt/format.h>

#include "fake/http_client.h"

namespace patchbay::soak {
namespace {

constexpr size_t kFaultsBetweenLooksForLeaks = 10;

}  // namespace

Soak::Soak(const Options& options)
    : options_(options),
      dice_(options.seed),
      host_(dice_),
      daemons_(dir_ / "device-plugins", host_.config(), options.mebibytes),
      cdi_disk_(daemons_.cdi_directory()),
      pods_(options.seed, host_, {.kubelet_root = dir_.path(), .cdi = daemons_.cdi_directory()},
            [this] { return fake::http_body(daemons_.status_socket(), "/status"); }) {
  daemons_.add_options(pods_.options());
}

bool Soak::run() {
  const auto end = std::chrono::steady_clock::now() + options_.minutes;
  if (options_.mebibytes != 0 && !daemons_.limited()) {
    std::cout << "no memory limit here: it takes root and control groups" << '\n' << std::flush;
  }
  if (!cdi_disk_.is_mounted()) {
    std::cout << "the CDI directory is never full or read-only here: it takes root" << '\n'
              << std::flush;
  }
  start_kubelet(fake::ClientRules::by_name_and_path);
  start_daemon();
  bool well = lists_are_right() && nothing_leaked();
  size_t done = 0;
  while (well && (options_.faults == 0 || done < options_.faults) &&
         std::chrono::steady_clock::now() < end) {
    const Fault& fault = all_faults()[dice_.below(all_faults().size())];
    std::cout << fmt::format("{} {}", ++done, fault.name) << '\n' << std::flush;
    have_one_stream_each();
    pods_.stir();
    (this->*fault.happen)();
    well = lists_are_right() && pods_are_right() && failed_.empty();
    kubelet_->set_faults({});
    if (well && done % kFaultsBetweenLooksForLeaks == 0) well = nothing_leaked();
  }
  well = well && nothing_leaked() && memory_is_level();
  if (well) {
    std::cout << fmt::format("{} faults, all well", done) << '\n' << std::flush;
    return true;
  }
  std::cerr << "the kubelet's story:\n" << kubelet_->story() << "the newest of the log:\n";
  for (const std::string& line : daemons_.log().newest()) std::cerr << line << '\n';
  return says(fmt::format("failed at fault {}{}; again: scripts/soak --seed {} --faults {}", done,
                          failed_.empty() ? "" : ", " + failed_, options_.seed, done));
}

}  // namespace patchbay::soak
