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
/// Runs on gRPC's thread, but for on_snapshot().
class ListAndWatchCall final : public SnapshotHub::Watcher,
                               public std::enable_shared_from_this<ListAndWatchCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment, OpenCalls<ListAndWatchCall>& open);

  ListAndWatchCall(const CallEnvironment& environment, OpenCalls<ListAndWatchCall>& open);

  /// The publisher's thread.
  void on_snapshot(const inventory::SnapshotPtr& newest,
                   std::optional<SnapshotHub::Time> heard) override;

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
  void write_if_due();
  void on_written(bool ok);
  void on_done();
  void leave();

  CallEnvironment environment_;
  OpenCalls<ListAndWatchCall>& open_;
  GrpcThread::Presence presence_;
  /// Itself, while an operation of gRPC's is under way that names it.
  std::shared_ptr<ListAndWatchCall> self_;
  grpc::ServerContext context_;
  BoundedRequest<v1beta1::Empty> request_;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer_{&context_};
  std::shared_ptr<ResourceChannel> channel_;

  std::mutex mutex_;
  inventory::SnapshotPtr newest_;           // Guarded by mutex_, as are the next two.
  std::optional<SnapshotHub::Time> heard_;  // Of what is not written yet, the first event.
  bool wake_up_posted_ = false;

  inventory::SnapshotPtr sent_;
  std::optional<SnapshotHub::Time> sent_for_;  ///< When the event was heard that led to it.
  std::optional<grpc::Status> finish_with_;
  bool sends_newest_ = false;  ///< Before it finishes.
  bool live_ = false;
  bool writing_ = false;
  bool finishing_ = false;  ///< Finish was called.
  bool finished_ = false;   ///< … and has completed.
  bool done_ = false;       ///< gRPC says that the call is over.

  FunctionTag arrived_tag_;
  FunctionTag written_tag_;
  FunctionTag done_tag_;
  FunctionTag finished_tag_;
};

}  // namespace patchbay::serve
