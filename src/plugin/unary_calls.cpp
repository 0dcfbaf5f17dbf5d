#include "plugin/unary_calls.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "inventory/allocate.h"
#include "inventory/path_queries.h"
#include "plugin/device_plugin_service.h"
#include "plugin/plugin_messages.h"

namespace patchbay::plugin {
namespace {

void warn(const std::string& resource, const std::vector<std::string>& ids,
          const std::string& reason) {
  log::warning({"container start failed", log::EventKind::allocate_failed},
               {{"resource", resource}, {"unit", format_ids(ids)}, {"reason", reason}});
}

}  // namespace

void PreStartCall::begin(ResourceChannel& channel) {
  const auto snapshot = channel.hub.current();
  const auto& asked = request().devices_ids();
  std::vector<std::string> ids(asked.begin(), asked.end());
  const auto status = start_status(*snapshot, request());
  if (!status.ok()) {
    warn(channel.name, ids, status.error_message());
    return finish(status);
  }
  environment().service.answers.prepare_start(
      snapshot, ids,
      [weak = weak_from_this(), resource = channel.name, ids](const Result<void>& prepared) {
        const auto self = weak.lock();
        if (!self) return;
        grpc::Status answer;
        if (prepared) {
          log::info({"preStart steps are done", log::EventKind::pre_start},
                    {{"resource", resource}, {"unit", format_ids(ids)}});
        } else {
          warn(resource, ids, prepared.error().message);
          answer = {grpc::StatusCode::FAILED_PRECONDITION, prepared.error().message};
        }
        // QueueRef keeps the thread alive, whichever thread calls this.
        self->environment().thread.post([self, answer] { self->finish(answer); });
      });
}

AllocateCall::AllocateCall(const CallEnvironment& environment, rpc::OpenCalls<AllocateCall>& open)
    : UnaryCall(environment, open),
      paths_([&paths = environment.service.answers.paths](const std::string& path) {
        return paths.try_cached(path);
      }) {}

void AllocateCall::begin(ResourceChannel& channel) {
  snapshot_ = channel.hub.current();
  answer_next();
}

/// Answers container after container, until a path must be checked.
void AllocateCall::answer_next() {
  while (response().container_responses_size() < request().container_requests_size()) {
    const auto& ids =
        request().container_requests(response().container_responses_size()).devices_ids();
    if (!answer({ids.begin(), ids.end()})) return;
  }
  finish(grpc::Status::OK);
  report_allocated();
}

/// After the answer, because it does not depend on this.
void AllocateCall::report_allocated() {
  for (const auto& container : request().container_requests()) {
    const auto& ids = container.devices_ids();
    log::info(
        {"allocated", log::EventKind::allocated},
        {{"resource", snapshot_->resource->name}, {"unit", format_ids({ids.begin(), ids.end()})}});
  }
  const auto& tell = environment().service.answers.allocated;
  if (!tell) return;
  std::vector<std::string> all;
  for (const auto& container : request().container_requests()) {
    all.insert(all.end(), container.devices_ids().begin(), container.devices_ids().end());
  }
  tell(snapshot_->resource->name, std::move(all));
}

/// Answers for one container. False: the call has ended, or paths are being checked.
bool AllocateCall::answer(const std::vector<std::string>& ids) {
  const auto allocation = inventory::allocate(
      *snapshot_, ids,
      [this](const std::string& path, bool device) { return paths_.exists(path, device); });
  if (allocation) paths_.query_nodes(*allocation);
  if (!paths_.unknown().empty()) {
    stat_paths();
    return false;
  }
  constexpr auto kRefused = grpc::StatusCode::FAILED_PRECONDITION;
  if (!allocation) {
    refuse(allocation.error().message, kRefused);
    return false;
  }
  const auto number_of = [this](const std::string& path) { return paths_.node(path); };
  if (const auto changed = inventory::find_changed_node(*snapshot_, ids, *allocation, number_of)) {
    refuse(changed->reason, kRefused);
    environment().service.answers.devices_changed(changed->devices);
    return false;
  }
  *response().add_container_responses() = to_response(*allocation);
  return true;
}

/// Refuses the call at the current container.
void AllocateCall::refuse(const std::string& reason, grpc::StatusCode code) {
  const auto& ids =
      request().container_requests(response().container_responses_size()).devices_ids();
  log::warning({"allocation refused", log::EventKind::allocate_failed},
               {{"resource", snapshot_->resource->name},
                {"unit", format_ids({ids.begin(), ids.end()})},
                {"reason", reason}});
  finish({code, reason});
}

void AllocateCall::stat_paths() {
  const auto& unknown = paths_.unknown();
  environment().service.answers.paths.check(
      {unknown.begin(), unknown.end()},
      [weak = weak_from_this()](Result<inventory::PathStates> states) {
        const auto self = weak.lock();
        if (!self) return;
        // QueueRef keeps the thread alive, whichever thread calls this.
        self->environment().thread.post([self, states = std::move(states)]() mutable {
          self->on_paths_stated(std::move(states));
        });
      });
}

void AllocateCall::on_paths_stated(Result<inventory::PathStates> states) {
  if (answered()) return;
  if (!states) return refuse(states.error().message, grpc::StatusCode::DEADLINE_EXCEEDED);
  paths_.learn(*std::move(states));
  answer_next();
}

}  // namespace patchbay::plugin
