#pragma once

#include <memory>
#include <mutex>

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include "serve/open_calls.h"
#include "serve/unary_call.h"

namespace patchbay::serve {

/// One ListAndWatch stream: its own position in the resource's snapshots. It sends the newest when
/// its last write is done and skips what was overtaken; it finishes exactly once, also when
/// cancelled, since an unfinished call hangs the shutdown.
///
/// What the publisher tells is written from its own thread, if nothing is being written: to wake
/// gRPC's for it would take longer than all else. All other things run on gRPC's thread.
class ListAndWatchCall final : public SnapshotHub::Watcher,
                               public std::enable_shared_from_this<ListAndWatchCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment, OpenCalls<ListAndWatchCall>& open);

  ListAndWatchCall(const CallEnvironment& environment, OpenCalls<ListAndWatchCall>& open);

  /// The publisher's thread, as the next one.
  void note(const inventory::SnapshotPtr& newest,
            std::optional<SnapshotHub::Time> event_time) override;
  void deliver() override { write_if_due(); }

  /// Ends the stream as soon as no write is under way.
  void finish(const grpc::Status& status);
  /// Ends it when the newest snapshot is sent.
  void finish_when_sent(const grpc::Status& status);
  /// Ends it now, whatever is under way.
  void cancel() { context_.TryCancel(); }
  /// Null: it belongs to no resource.
  [[nodiscard]] const ResourceChannel* channel() const { return channel_.get(); }

 private:
  void wait();
  void on_arrival(bool ok);
  /// Any thread.
  void write_if_due();
  void on_written(bool ok);
  void on_done();
  /// Begins the end, if one is asked for and nothing is being written.
  void finish_if_due();
  void release_if_done();

  CallEnvironment environment_;
  OpenCalls<ListAndWatchCall>& open_;
  GrpcThread::QueueRef queue_ref_;
  /// Itself, while an operation of gRPC's is under way that names it.
  std::shared_ptr<ListAndWatchCall> self_;
  grpc::ServerContext context_;
  BoundedRequest<v1beta1::Empty> request_;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer_{&context_};
  std::shared_ptr<ResourceChannel> channel_;

  bool live_ = false;
  bool finished_ = false;  ///< What finish() began is done.

  std::mutex mutex_;
  // Guarded by mutex_, as is all below.
  inventory::SnapshotPtr newest_;
  std::optional<SnapshotHub::Time> event_time_;  ///< Of what is not written yet, the first event.
  inventory::SnapshotPtr sent_;
  std::optional<SnapshotHub::Time> sent_event_time_;  ///< When the event was heard that led to it.
  std::optional<grpc::Status> finish_with_;
  bool flush_before_finish_ = false;  ///< Before it finishes.
  bool writing_ = false;    ///< A write is under way: no other one may begin, nor the end.
  bool finishing_ = false;  ///< Finish was called: nothing is written any more.
  bool done_ = false;       ///< gRPC says that the call is over.

  FunctionTag arrived_tag_;
  FunctionTag written_tag_;
  FunctionTag done_tag_;
  FunctionTag finished_tag_;
};

}  // namespace patchbay::serve
