#include "plugin/list_and_watch_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <grpcpp/support/slice.h>

#include "plugin/plugin_messages.h"
#include "rpc/tsan_annotations.h"

namespace patchbay::plugin {
namespace {

/// A buffer that refers to the bytes, which live as long as gRPC uses them.
grpc::ByteBuffer message(SharedList::Bytes bytes) {
  auto* const keeper = new SharedList::Bytes(std::move(bytes));
  rpc::annotate_release(keeper);
  // gRPC only reads it.
  auto* const begin = const_cast<char*>((*keeper)->data());
  const grpc::Slice slice(
      begin, (*keeper)->size(),
      [](void* kept) {  // On any of gRPC's threads.
        rpc::annotate_acquire(kept);
        delete static_cast<SharedList::Bytes*>(kept);
      },
      keeper);
  return {&slice, 1};
}

}  // namespace

void ListAndWatchCall::wait_for_next(const CallEnvironment& environment,
                                     rpc::OpenCalls<ListAndWatchCall>& open) {
  std::make_shared<ListAndWatchCall>(environment, open)->wait();
}

ListAndWatchCall::ListAndWatchCall(const CallEnvironment& environment,
                                   rpc::OpenCalls<ListAndWatchCall>& open)
    : environment_(environment),
      open_(open),
      queue_ref_(environment.thread),
      arrived_tag_([this](bool ok) { on_arrival(ok); }),
      written_tag_([this](bool ok) { on_written(ok); }),
      done_tag_([this](bool /*ok*/) { on_done(); }),
      finished_tag_([this](bool /*ok*/) {
        finished_ = true;
        release_if_done();
      }) {}

void ListAndWatchCall::wait() {
  self_ = shared_from_this();
  context_.AsyncNotifyWhenDone(static_cast<rpc::Tag*>(&done_tag_));
  environment_.service.RequestListAndWatch(&context_, &request_, &writer_,
                                           environment_.thread.queue(), environment_.thread.queue(),
                                           static_cast<rpc::Tag*>(&arrived_tag_));
}

void ListAndWatchCall::on_arrival(bool ok) {
  if (!ok) {  // Shutting down. The done tag is not delivered for a call that never arrived.
    const auto last_reference = std::move(self_);
    return;
  }
  wait_for_next(environment_, open_);
  open_.add(this);
  auto channel = environment_.connections.find<ResourceChannel>(context_.peer());
  if (!channel) return finish(rpc::unknown_connection(context_.peer()));
  if (open_.finishing()) return finish(open_.shutting_down());
  if (channel->withdrawn) return finish(withdrawn_status());
  channel_ = std::move(channel);
  channel_->on_stream(StreamEvent::opened);
  const auto current = channel_->hub.add(shared_from_this());
  {
    const std::lock_guard lock(mutex_);
    if (!newest_) newest_ = current;  // Otherwise a later one was published meanwhile.
  }
  write_if_due();
}

void ListAndWatchCall::note(const inventory::SnapshotPtr& newest) {
  const std::lock_guard lock(mutex_);
  newest_ = newest;
  if (newest->event_time) {
    event_time_ = std::min(*newest->event_time, event_time_.value_or(*newest->event_time));
  }
}

void ListAndWatchCall::write_if_due() {
  inventory::SnapshotPtr newest;
  bool unchanged = false;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || finishing_ || done_ || newest_ == sent_) return;
    if (finish_with_ && !flush_before_finish_) return;
    unchanged = sent_ && same_list(*newest_, *sent_);
    sent_event_time_ = std::exchange(event_time_, std::nullopt);
    sent_ = newest = newest_;
    writing_ = !unchanged;
  }
  if (unchanged) return channel_->on_sent(newest);
  const auto list = message(channel_->list.of(newest));
  const rpc::ScopedThreadSanitizerIgnore ignore_handover;
  writer_.Write(list, static_cast<rpc::Tag*>(&written_tag_));
}

void ListAndWatchCall::on_written(bool ok) {
  std::optional<Time> event_time;
  inventory::SnapshotPtr sent;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    sent = sent_;
    event_time = sent_event_time_;
  }
  if (ok) {
    channel_->counters->lists_sent.add();
    channel_->on_sent(sent);
  }
  if (ok && event_time) {
    channel_->counters->event_to_list.add(std::chrono::steady_clock::now() - *event_time);
  }
  if (ok && !live_) {
    live_ = true;
    channel_->on_stream(StreamEvent::live);
  }
  if (ok) write_if_due();
  finish_if_due();
}

void ListAndWatchCall::on_done() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  finish({grpc::StatusCode::CANCELLED, "cancelled by the kubelet"});
  release_if_done();
}

void ListAndWatchCall::finish(const grpc::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (finishing_) return;
    finish_with_ = status;
  }
  finish_if_due();
}

void ListAndWatchCall::finish_if_due() {
  grpc::Status status;
  {
    const std::lock_guard lock(mutex_);
    if (!finish_with_ || writing_ || finishing_) return;
    finishing_ = true;
    status = *finish_with_;
  }
  writer_.Finish(status, static_cast<rpc::Tag*>(&finished_tag_));
}

void ListAndWatchCall::finish_when_sent(const grpc::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    flush_before_finish_ = true;
  }
  write_if_due();
  finish(status);
}

void ListAndWatchCall::release_if_done() {
  {
    const std::lock_guard lock(mutex_);
    if (!done_ || !finished_) return;
  }
  open_.remove(this);
  if (channel_) {
    channel_->hub.remove(shared_from_this());
    channel_->on_stream(StreamEvent::ended);
  }
  const auto last_reference = std::move(self_);
}

}  // namespace patchbay::plugin
