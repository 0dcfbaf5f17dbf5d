#pragma once

#include <memory>
#include <mutex>

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include "serve/unary_call.h"

namespace patchbay::serve {

class ListAndWatchCall;

/// The ListAndWatch calls that are open, so that a shutdown can finish them. gRPC's thread.
class OpenStreams {
 public:
  void add(ListAndWatchCall* call) { calls_.insert(call); }
  void remove(ListAndWatchCall* call) { calls_.erase(call); }
  /// Every open stream ends with UNAVAILABLE, and so does every later one.
  void finish_all();
  [[nodiscard]] bool finishing() const { return finishing_; }

 private:
  std::set<ListAndWatchCall*> calls_;
  bool finishing_ = false;
};

/// One ListAndWatch stream: its own position in the resource's snapshots. It sends the newest when
/// its last write is done and skips what was overtaken; it finishes exactly once, also when
/// cancelled, since an unfinished call hangs the shutdown.
///
/// Runs on gRPC's thread, but for on_snapshot().
class ListAndWatchCall final : public SnapshotHub::Watcher,
                               public std::enable_shared_from_this<ListAndWatchCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment, OpenStreams& open);

  ListAndWatchCall(const CallEnvironment& environment, OpenStreams& open);

  /// The publisher's thread.
  void on_snapshot(const inventory::SnapshotPtr& newest) override;

  /// Ends the stream as soon as no write is under way.
  void finish(const grpc::Status& status);

 private:
  void wait();
  void on_arrival(bool ok);
  void write_if_due();
  void on_written(bool ok);
  void on_done();
  void leave();

  CallEnvironment environment_;
  OpenStreams& open_;
  GrpcThread::Presence presence_;
  /// Itself, while an operation of gRPC's is under way that names it.
  std::shared_ptr<ListAndWatchCall> self_;
  grpc::ServerContext context_;
  v1beta1::Empty request_;
  grpc::ServerAsyncWriter<v1beta1::ListAndWatchResponse> writer_{&context_};
  std::shared_ptr<ResourceChannel> channel_;

  std::mutex mutex_;
  inventory::SnapshotPtr newest_;  // Guarded by mutex_, as is the next.
  bool wake_up_posted_ = false;

  inventory::SnapshotPtr sent_;
  std::optional<grpc::Status> finish_with_;
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
