#include "host/retry_on_exhaustion.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::host {
namespace {

/// The limit to raise.
std::string limit_of(int error) {
  if (error == EMFILE) return "the open files of this process (RLIMIT_NOFILE)";
  return error == ENFILE ? "fs.file-max" : "the memory of the kernel";
}

}  // namespace

bool RetryOnExhaustion::refused(const std::string& name, int error, std::function<void()> again) {
  const auto known = refused_.try_emplace(name, Refused{.since = loop_.now()}).first;
  known->second.again = std::move(again);
  if (!timer_) {
    log::warning("out of descriptors or memory: keeping the last known state, retrying",
                 {{"limit", limit_of(error)},
                  {"path", name},
                  {"reason", std::generic_category().message(error)}});
    wait_ = kFirstDelay;
    arm();
  }
  return loop_.now() - known->second.since < kGiveUpAfter;
}

void RetryOnExhaustion::arm() {
  timer_ = loop_.after(wait_, [this] { retry(); });
  wait_ = std::min(wait_ * 2, kMaxDelay);
}

void RetryOnExhaustion::retry() {
  if (refused_.empty()) {
    timer_.reset();
    log::info("descriptors and memory are available again");
    return;
  }
  arm();
  std::vector<std::function<void()>> tasks;
  for (const auto& [name, refused] : refused_) tasks.push_back(refused.again);
  for (const auto& task : tasks) task();
}

}  // namespace patchbay::host
