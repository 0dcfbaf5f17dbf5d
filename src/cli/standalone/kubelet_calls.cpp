#include "cli/standalone/kubelet_calls.h"

#include <chrono>
#include <optional>

#include "rules/plan/step.h"

namespace patchbay::cli {
namespace {

/// The kubelet has no timeout for these two calls.
constexpr std::chrono::seconds kAnswerDeadline{10};
/// The kubelet's timeout. All preStart steps together have less time, so that the plugin reports
/// the step that timed out.
constexpr std::chrono::seconds kStartDeadline{30};
static_assert(kStartDeadline > rules::kPreStartBudget);

}  // namespace

void KubeletCalls::allocate(const std::string& resource, const Ids& ids,
                            Done<standin::AllocateAnswer> done) {
  call<standin::AllocateAnswer>(
      [=](standin::Kubelet& kubelet) { return kubelet.allocate(resource, ids, kAnswerDeadline); },
      std::move(done));
}

void KubeletCalls::prefer(const std::string& resource, const standin::PreferenceQuery& query,
                          Done<Ids> done) {
  call<Ids>(
      [=](standin::Kubelet& kubelet) {
        return kubelet.preferred_allocation(resource, query, kAnswerDeadline);
      },
      std::move(done));
}

void KubeletCalls::pre_start(const std::string& resource, const Ids& ids, Done<void> done) {
  call<void>(
      [=](standin::Kubelet& kubelet) { return kubelet.pre_start(resource, ids, kStartDeadline); },
      std::move(done));
}

template <typename T>
void KubeletCalls::call(std::function<Result<T>(standin::Kubelet&)> ask, Done<T> done) {
  const auto answer = std::make_shared<std::optional<Result<T>>>();
  loop_.work([kubelet = kubelet_, ask = std::move(ask), answer] { *answer = ask(*kubelet); },
             [answer, done = std::move(done), alive = std::weak_ptr(weak_self_)] {
               if (!alive.expired()) done(**answer);
             });
}

}  // namespace patchbay::cli
