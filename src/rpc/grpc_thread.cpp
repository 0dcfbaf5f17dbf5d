#include "rpc/grpc_thread.h"

#include <pthread.h>

#include <grpcpp/alarm.h>

#include "loop/may_block.h"
#include "loop/thread_activity.h"
#include "rpc/tsan_annotations.h"

namespace patchbay::rpc {
namespace {

/// A posted task: an alarm that is due immediately.
class PostedTask final : public Tag {
 public:
  PostedTask(GrpcThread& thread, std::move_only_function<void()> task)
      : queue_ref_(thread), task_(std::move(task)) {
    annotate_release(static_cast<Tag*>(this));
    alarm_.Set(thread.queue(), gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Tag*>(this));
  }
  [[nodiscard]] const char* name() const override { return "a task of the daemon"; }
  void complete(bool /*ok*/) override {
    const std::unique_ptr<PostedTask> self(this);
    task_();
  }

 private:
  GrpcThread::QueueRef queue_ref_;
  std::move_only_function<void()> task_;
  grpc::Alarm alarm_;
};

}  // namespace

GrpcThread::GrpcThread(std::unique_ptr<grpc::ServerCompletionQueue> queue)
    : queue_(std::move(queue)), thread_([this] { run(); }) {}

GrpcThread::~GrpcThread() { finish(); }

void GrpcThread::run() {
  ::pthread_setname_np(::pthread_self(), "gRPC");
  const loop::MayBlock never(false);
  loop::ThreadActivity activity("gRPC");
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    auto* completed = static_cast<Tag*>(tag);
    annotate_acquire(completed);
    const loop::ThreadActivity::ScopedActivity scope(activity, completed->name());
    completed->complete(ok);
  }
}

void GrpcThread::post(std::move_only_function<void()> task) {
  new PostedTask(*this, std::move(task));  // Owns itself until it has run.
}

GrpcThread::QueueRef::QueueRef(GrpcThread& thread) : thread_(thread) {
  const std::lock_guard lock(thread_.mutex_);
  ++thread_.queue_refs_;
}

GrpcThread::QueueRef::~QueueRef() {
  const std::lock_guard lock(thread_.mutex_);
  if (--thread_.queue_refs_ == 0) thread_.empty_.notify_all();
}

void GrpcThread::finish() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    empty_.wait(lock, [this] { return queue_refs_ == 0; });
  }
  queue_->Shutdown();
  thread_.join();
}

}  // namespace patchbay::rpc
