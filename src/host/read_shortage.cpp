#include "host/read_shortage.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::host {
namespace {

/// What to raise.
std::string what_is_short(int error) {
  if (error == EMFILE) return "the open files of this process (RLIMIT_NOFILE)";
  return error == ENFILE ? "fs.file-max" : "the memory of the kernel";
}

}  // namespace

bool ReadShortage::refused(const std::string& name, int error, std::function<void()> again) {
  const auto known = refused_.try_emplace(name, Refused{.since = loop_.now()}).first;
  known->second.again = std::move(again);
  if (!timer_) {
    log::warning("the kernel opens no more files: what cannot be read is read again later",
                 {{"limit", what_is_short(error)},
                  {"first", name},
                  {"reason", std::generic_category().message(error)}});
    wait_ = kFirst;
    arm();
  }
  return loop_.now() - known->second.since < kPatience;
}

void ReadShortage::arm() {
  timer_ = loop_.after(wait_, [this] { look(); });
  wait_ = std::min(wait_ * 2, kLast);
}

void ReadShortage::look() {
  if (refused_.empty()) {
    timer_.reset();
    log::info("the kernel opens files again, and all was read");
    return;
  }
  arm();
  std::vector<std::function<void()>> tasks;
  for (const auto& [name, refused] : refused_) tasks.push_back(refused.again);
  for (const auto& task : tasks) task();
}

}  // namespace patchbay::host
