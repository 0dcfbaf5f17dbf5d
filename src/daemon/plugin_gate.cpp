#include "daemon/plugin_gate.h"

#include <cstddef>
#include <set>
#include <utility>

#include "base/text.h"

namespace patchbay::daemon {
namespace {

/// The Pods that have these devices, such as "lab/a, lab/b". A device without a Pod was allocated a
/// moment ago: the kubelet does not list a Pod that it still admits.
std::string pods_text(const status::ResourceAssignments& devices) {
  constexpr size_t kMaxShown = 5;
  std::set<std::string> pods;
  for (const auto& [device, its] : devices) {
    if (its.assignments.empty()) pods.insert("a starting Pod");
    for (const status::Assignment& assignment : its.assignments) {
      pods.insert(printable(assignment.container->pod_namespace + '/' + assignment.container->pod));
    }
  }
  std::string text;
  size_t shown = 0;
  for (const std::string& pod : pods) {
    if (shown++ == kMaxShown) return text + ", …";
    text += (text.empty() ? "" : ", ") + pod;
  }
  return text;
}

}  // namespace

PluginGate::PluginGate(loop::EventLoop& loop, pods::PodWatch* pods, std::string resource,
                       std::function<void()> changed)
    : loop_(loop),
      pods_(pods),
      resource_(std::move(resource)),
      changed_(std::move(changed)),
      reason_("waiting for the kubelet's list of Pods") {
  if (pods_ != nullptr) {
    query();
  } else {
    reason_ =
        "Pods may have units by the device plugin (--pod-resources none): let the daemon query the "
        "kubelet";
  }
}

/// An answer that is older than the question may lack a new Pod.
void PluginGate::query() { pods_->refresh(weak_self_.guard(&PluginGate::on_answer), true); }

void PluginGate::on_answer(const Result<void>& newer) {
  if (newer) {
    const auto all = pods_->assignments();
    const auto devices = all->find(resource_);
    state_ = devices == all->end() ? State::open : State::in_use;
    reason_.clear();
    if (state_ == State::in_use) {
      reason_ = "Pods have units by the device plugin (" + pods_text(devices->second) +
                "): end them, or wait for their end";
    }
  } else if (state_ == State::unknown) {
    reason_ = "Pods may have units by the device plugin (" + newer.error().message +
              "): check the kubelet's PodResources API";
  }
  if (state_ != State::open) {
    retry_ = loop_.after(kPeriod, [this] { query(); });
  }
  changed_();
}

}  // namespace patchbay::daemon
