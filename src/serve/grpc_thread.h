#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <grpcpp/completion_queue.h>

namespace patchbay::serve {

/// What the completion queue hands back. The queue's thread calls complete() once per operation
/// that was started with this tag.
class Tag {
 public:
  virtual ~Tag() = default;
  /// What complete() does, for people; it lives for ever.
  [[nodiscard]] virtual const char* name() const = 0;
  virtual void complete(bool ok) = 0;
};

/// A Tag that calls a function: members of call objects, one per kind of operation.
class FunctionTag final : public Tag {
 public:
  explicit FunctionTag(std::move_only_function<void(bool)> on_complete)
      : on_complete_(std::move(on_complete)) {}
  [[nodiscard]] const char* name() const override { return "a call of the device plugin API"; }
  void complete(bool ok) override { on_complete_(ok); }

 private:
  std::move_only_function<void(bool)> on_complete_;
};

/// The completion queue with its one thread, and the count of what lives on it: the queue may be
/// shut only when nothing that could start another operation is left.
class GrpcThread {
 public:
  explicit GrpcThread(std::unique_ptr<grpc::ServerCompletionQueue> queue);
  ~GrpcThread();
  GrpcThread(const GrpcThread&) = delete;
  GrpcThread& operator=(const GrpcThread&) = delete;

  [[nodiscard]] grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  /// Runs `task` on the thread. Any thread.
  void post(std::move_only_function<void()> task);

  /// Held by every call object while it lives.
  class QueueRef {
   public:
    explicit QueueRef(GrpcThread& thread);
    ~QueueRef();
    QueueRef(const QueueRef&) = delete;
    QueueRef& operator=(const QueueRef&) = delete;

   private:
    GrpcThread& thread_;
  };

  /// Waits until no QueueRef is left, shuts the queue and joins. Once; not on the thread itself.
  void finish();

 private:
  void run();

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::mutex mutex_;
  std::condition_variable empty_;
  size_t queue_refs_ = 0;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace patchbay::serve
