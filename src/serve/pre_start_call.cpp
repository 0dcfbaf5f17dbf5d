#include "serve/pre_start_call.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"

namespace patchbay::serve {
namespace {

void warn(const std::string& resource, const std::vector<std::string>& ids,
          const std::string& reason) {
  log::warning("a container cannot start",
               {{"resource", resource}, {"unit", some_ids(ids)}, {"reason", reason}});
}

}  // namespace

void PreStartCall::wait_for_next(const CallEnvironment& environment,
                                 OpenCalls<PreStartCall>& open) {
  std::make_shared<PreStartCall>(environment, open)->wait();
}

PreStartCall::PreStartCall(const CallEnvironment& environment, OpenCalls<PreStartCall>& open)
    : environment_(environment),
      open_(open),
      presence_(environment.thread),
      arrived_tag_([this](bool ok) { on_arrival(ok); }),
      finished_tag_([this](bool /*ok*/) { const auto last_reference = std::move(self_); }) {}

void PreStartCall::wait() {
  self_ = shared_from_this();
  environment_.service.RequestPreStartContainer(
      &context_, &request_, &writer_, environment_.thread.queue(), environment_.thread.queue(),
      static_cast<Tag*>(&arrived_tag_));
}

void PreStartCall::on_arrival(bool ok) {
  if (!ok) {  // The server is shutting down.
    const auto last_reference = std::move(self_);
    return;
  }
  wait_for_next(environment_, open_);
  open_.add(this);
  if (open_.finishing()) return finish(open_.shutting_down());
  begin();
}

void PreStartCall::begin() {
  const auto channel = environment_.connections.find(context_.peer());
  if (!channel) return finish(unknown_connection(context_.peer()));
  if (!request_.refusal.empty()) {
    return finish(refused_request(channel->resource, request_.refusal));
  }
  const auto snapshot = channel->hub.current();
  const auto& asked = request_.message.devices_ids();
  std::vector<std::string> ids(asked.begin(), asked.end());
  const auto status = start_status(*snapshot, request_.message);
  if (!status.ok()) {
    warn(channel->resource, ids, status.error_message());
    return finish(status);
  }
  log::debug("a container starts", {{"resource", channel->resource}, {"unit", some_ids(ids)}});
  environment_.answers.prepare_start(
      snapshot, ids,
      [weak = weak_from_this(), resource = channel->resource, ids](const Result<void>& prepared) {
        const auto self = weak.lock();
        if (!self) return;
        grpc::Status answer;
        if (!prepared) {
          warn(resource, ids, prepared.error().message);
          answer = {grpc::StatusCode::FAILED_PRECONDITION, prepared.error().message};
        }
        // Its Presence keeps the thread, whoever calls.
        self->environment_.thread.post([self, answer] { self->finish(answer); });
      });
}

void PreStartCall::finish(const grpc::Status& status) {
  if (std::exchange(answered_, true)) return;
  open_.remove(this);
  writer_.Finish(response_, status, static_cast<Tag*>(&finished_tag_));
}

}  // namespace patchbay::serve
