#pragma once

#include <memory>
#include <mutex>

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include "plugin/device_plugin_service.h"
#include "rpc/open_calls.h"

namespace patchbay::plugin {

/// Serves one ListAndWatch stream. If snapshots are published during a write, only the newest is
/// sent after it, and only if its list differs. Finish() is called exactly once, also for a
/// cancelled call, because an unfinished call blocks the shutdown.
///
/// If no write is in progress, a published snapshot is written on the thread that publishes it.
/// Waking gRPC's thread first would take longer than all steps from the uevent to the list. Other
/// work is done on gRPC's thread.
class ListAndWatchCall final : public SnapshotHub::Watcher,
                               public std::enable_shared_from_this<ListAndWatchCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment,
                            rpc::OpenCalls<ListAndWatchCall>& open);

  ListAndWatchCall(const CallEnvironment& environment, rpc::OpenCalls<ListAndWatchCall>& open);

  /// The thread that publishes a snapshot calls note() and deliver().
  void note(const inventory::SnapshotPtr& newest) override;
  void deliver() override { write_if_due(); }

  /// Ends the stream after the current write.
  void finish(const grpc::Status& status);
  /// Ends the stream after the newest snapshot was sent.
  void finish_when_sent(const grpc::Status& status);
  /// Ends the stream now, also during a write.
  void cancel() { context_.TryCancel(); }
  /// The channel of the resource. Null if the call has not arrived, or was rejected.
  [[nodiscard]] const ResourceChannel* channel() const { return channel_.get(); }

 private:
  using Time = inventory::Snapshot::Time;

  void wait();
  void on_arrival(bool ok);
  /// Any thread.
  void write_if_due();
  void on_written(bool ok);
  void on_done();
  /// Finishes the stream if that was requested and no write is in progress.
  void finish_if_due();
  void release_if_done();

  CallEnvironment environment_;
  rpc::OpenCalls<ListAndWatchCall>& open_;
  rpc::GrpcThread::QueueRef queue_ref_;
  /// Keeps this object alive until gRPC has completed all operations of the call.
  std::shared_ptr<ListAndWatchCall> self_;
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;  ///< Unused: the request has no fields.
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer_{&context_};
  std::shared_ptr<ResourceChannel> channel_;

  bool live_ = false;      ///< The first message was written.
  bool finished_ = false;  ///< gRPC has completed Finish().

  std::mutex mutex_;
  // mutex_ guards the members from here to done_.
  inventory::SnapshotPtr newest_;
  std::optional<Time> event_time_;  ///< Time of the first event that no sent list contains.
  inventory::SnapshotPtr sent_;
  std::optional<Time> sent_event_time_;  ///< Time of the first event that led to sent_.
  std::optional<grpc::Status> finish_with_;
  bool flush_before_finish_ = false;  ///< Write the newest snapshot before the end.
  bool writing_ = false;              ///< A write is in progress: no other operation may begin.
  bool finishing_ = false;            ///< Finish() was called: no write may follow.
  bool done_ = false;                 ///< gRPC has reported the end of the call.

  rpc::FunctionTag arrived_tag_;
  rpc::FunctionTag written_tag_;
  rpc::FunctionTag done_tag_;
  rpc::FunctionTag finished_tag_;
};

}  // namespace patchbay::plugin
