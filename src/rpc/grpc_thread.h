#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <grpcpp/completion_queue.h>

namespace patchbay::rpc {

/// Identifies an operation in gRPC's completion queue. GrpcThread calls complete() once for each
/// operation that was started with this tag.
class Tag {
 public:
  virtual ~Tag() = default;
  /// The name of the operation for messages, with static storage.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Continues after the operation. `ok` is false if gRPC did not perform it.
  virtual void complete(bool ok) = 0;
};

/// A Tag that calls a function. A call object has one such member for each kind of operation.
class FunctionTag final : public Tag {
 public:
  explicit FunctionTag(std::move_only_function<void(bool)> on_complete)
      : on_complete_(std::move(on_complete)) {}
  [[nodiscard]] const char* name() const override { return "a gRPC call"; }
  void complete(bool ok) override { on_complete_(ok); }

 private:
  std::move_only_function<void(bool)> on_complete_;
};

/// Runs gRPC's completion queue on one thread, and counts the objects that use it. The queue may be
/// shut down only when no object exists that could start another operation.
class GrpcThread {
 public:
  explicit GrpcThread(std::unique_ptr<grpc::ServerCompletionQueue> queue);
  ~GrpcThread();
  GrpcThread(const GrpcThread&) = delete;
  GrpcThread& operator=(const GrpcThread&) = delete;

  [[nodiscard]] grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  /// Runs `task` on the thread. Any thread.
  void post(std::move_only_function<void()> task);

  /// A QueueRef keeps the queue open while it exists. Each call object has one as a member.
  class QueueRef {
   public:
    explicit QueueRef(GrpcThread& thread);
    ~QueueRef();
    QueueRef(const QueueRef&) = delete;
    QueueRef& operator=(const QueueRef&) = delete;

   private:
    GrpcThread& thread_;
  };

  /// Waits until no QueueRef exists, shuts the queue down and joins the thread. Only the first call
  /// has an effect. Do not call it on the thread itself.
  void finish();

 private:
  void run();

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::mutex mutex_;
  std::condition_variable empty_;
  size_t queue_refs_ = 0;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace patchbay::rpc
