#include "plugin/unary_calls.h"

#include <utility>
#include <vector>

#include "base/log.h"
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

}  // namespace patchbay::plugin
