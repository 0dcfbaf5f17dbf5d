#include "cli/kubelet_calls.h"

#include <chrono>
#include <optional>

namespace patchbay::cli {
namespace {

/// The kubelet sets none, and waits for ever.
constexpr std::chrono::seconds kAnswerDeadline{10};

}  // namespace

void KubeletCalls::allocate(const std::string& resource, const Ids& ids,
                            Done<standin::AllocateAnswer> done) {
  call<standin::AllocateAnswer>(
      [=](standin::Kubelet& kubelet) { return kubelet.allocate(resource, ids, kAnswerDeadline); },
      std::move(done));
}

template <typename T>
void KubeletCalls::call(std::function<Result<T>(standin::Kubelet&)> ask, Done<T> done) {
  const auto answer = std::make_shared<std::optional<Result<T>>>();
  loop_.work([kubelet = kubelet_, ask = std::move(ask), answer] { *answer = ask(*kubelet); },
             [answer, done = std::move(done), alive = std::weak_ptr(alive_)] {
               if (!alive.expired()) done(**answer);
             });
}

}  // namespace patchbay::cli
