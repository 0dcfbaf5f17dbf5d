#include "daemon/dra_sink.h"

#include <utility>

namespace patchbay::daemon {

void DraSink::publish(inventory::SnapshotPtr list) {
  if (withdrawing_) return;
  newest_ = std::move(list);
  resource_ = newest_->resource->name;
  if (gate_is_open()) return host_.set(newest_);
  if (!gate_) gate_.emplace(loop_, pods_, resource_, [this] { on_gate(); });
}

void DraSink::on_gate() {
  switch (gate_->state()) {
    case PluginGate::State::unknown:
      return;
    case PluginGate::State::in_use:
      return host_.leave_out(resource_);
    case PluginGate::State::open:
      return host_.set(newest_);
  }
}

void DraSink::withdraw(loop::Task withdrawn) {
  withdrawing_ = true;
  gate_.reset();
  since_ = loop_.now();
  host_.remove(resource_, std::move(withdrawn));
}

status::RegistrationStatus DraSink::status() const {
  using State = status::RegistrationStatus::State;
  status::RegistrationStatus status = host_.status();
  if (withdrawing_) {
    status.state = State::withdrawing;
    status.since = since_;
  } else if (status.is_registered() && gate_ && !gate_is_open()) {
    status.state = State::held_back;
    status.since = since_;
    status.failure = gate_->reason();
  }
  return status;
}

}  // namespace patchbay::daemon
