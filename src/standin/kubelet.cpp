#include "standin/kubelet.h"

#include <utility>

#include "standin/kubelet_core.h"
#include "standin/kubelet_messages.h"

namespace patchbay::standin {
namespace {

using Stub = v1beta1::DevicePlugin::Stub;

/// Passes the notifications of the core to KubeletEvents.
class Reporter final : public KubeletBehavior {
 public:
  explicit Reporter(KubeletEvents events) : events_(std::move(events)) {}

  void registered(const PluginAddress& plugin) override {
    if (events_.registered) events_.registered(plugin.resource, plugin.endpoint);
  }
  void refused(const PluginAddress& plugin, const std::string& why) override {
    if (events_.refused) events_.refused(plugin.resource, why);
  }
  void listed(const PluginAddress& plugin, const v1beta1::ListAndWatchResponse& list,
              PluginClient::Clock::time_point /*at*/) override {
    if (events_.listed) events_.listed(plugin.resource, to_devices(list));
  }
  void ended(const PluginAddress& plugin, const std::string& why) override {
    if (events_.ended) events_.ended(plugin.resource, why);
  }

 private:
  KubeletEvents events_;
};

class CoreKubelet final : public Kubelet {
 public:
  explicit CoreKubelet(KubeletEvents events) : reporter_(std::move(events)) {}

  Result<void> begin(Options options) {
    auto core = KubeletCore::start(
        {.directory = std::move(options.directory), .rules = options.rules}, reporter_);
    if (!core) return std::unexpected(std::move(core).error());
    core_ = std::move(*core);
    return {};
  }

  Result<AllocateAnswer> allocate(const std::string& resource, const std::vector<std::string>& ids,
                                  std::chrono::milliseconds deadline) override {
    v1beta1::AllocateResponse answer;
    const auto status =
        core_->call(resource, &Stub::Allocate, allocate_request(ids), answer, deadline);
    if (!status.ok()) return fail(to_text(status));
    if (answer.container_responses().empty())
      return fail("no containers return in allocation response");
    return to_json_text(answer.container_responses(0));
  }

  Result<std::vector<std::string>> preferred_allocation(
      const std::string& resource, const PreferenceQuery& query,
      std::chrono::milliseconds deadline) override {
    v1beta1::PreferredAllocationResponse answer;
    const auto status = core_->call(resource, &Stub::GetPreferredAllocation,
                                    preference_request(query), answer, deadline);
    if (!status.ok()) return fail(to_text(status));
    if (answer.container_responses().empty()) return std::vector<std::string>{};
    const auto& ids = answer.container_responses(0).deviceids();
    return std::vector<std::string>(ids.begin(), ids.end());
  }

  Result<void> pre_start(const std::string& resource, const std::vector<std::string>& ids,
                         std::chrono::milliseconds deadline) override {
    v1beta1::PreStartContainerRequest request;
    request.mutable_devices_ids()->Assign(ids.begin(), ids.end());
    v1beta1::PreStartContainerResponse answer;
    const auto status = core_->call(resource, &Stub::PreStartContainer, request, answer, deadline);
    if (!status.ok()) return fail(to_text(status));
    return {};
  }

  Result<PluginOptions> options(const std::string& resource) const override {
    const ClientPtr client = core_->newest(resource);
    if (!client) return fail("no plugin is registered for " + resource);
    return client->options;
  }

 private:
  Reporter reporter_;
  std::unique_ptr<KubeletCore> core_;
};

}  // namespace

Result<std::unique_ptr<Kubelet>> Kubelet::start(Options options, KubeletEvents events) {
  auto kubelet = std::make_unique<CoreKubelet>(std::move(events));
  if (auto begun = kubelet->begin(std::move(options)); !begun) {
    return std::unexpected(std::move(begun).error());
  }
  return kubelet;
}

}  // namespace patchbay::standin
