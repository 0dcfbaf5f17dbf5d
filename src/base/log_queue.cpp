#include "base/log_queue.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/scoped_signal_block.h"

namespace patchbay::log {
namespace {

/// Memory of the queue itself per text.
constexpr size_t kOverhead = 64;

size_t size_of(const std::string& text) { return text.size() + kOverhead; }

size_t lines_of(const std::string& text) {
  return std::max<size_t>(1, static_cast<size_t>(std::ranges::count(text, '\n')));
}

}  // namespace

LogQueue::LogQueue(size_t limit, Hooks hooks) : limit_(limit), hooks_(std::move(hooks)) {
  const ScopedSignalBlock signal_block;
  thread_ = std::thread([this] { run_writer(); });
}

LogQueue::~LogQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LogQueue::add(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (dropped_ > 0 || used_ + size_of(text) > limit_) {
      dropped_ += lines_of(text);
    } else {
      used_ += size_of(text);
      texts_.push_back(std::move(text));
    }
  }
  changed_.notify_one();
}

bool LogQueue::flush(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  return written_.wait_for(lock, at_most, [this] { return !has_work() && !writing_; });
}

void LogQueue::catch_up() { is_stuck_ = !flush(std::chrono::milliseconds(is_stuck_ ? 0 : 100)); }

/// Called with the lock.
void LogQueue::add_dropped_line() {
  if (dropped_ == 0 || used_ > limit_ / 2) return;
  std::string text = hooks_.dropped(std::exchange(dropped_, 0));
  used_ += size_of(text);
  texts_.push_back(std::move(text));
}

void LogQueue::run_writer() {
  ::pthread_setname_np(::pthread_self(), "log");
  std::unique_lock lock(mutex_);
  while (true) {
    add_dropped_line();
    if (!texts_.empty()) {
      const std::string text = std::move(texts_.front());
      texts_.pop_front();
      writing_ = true;
      lock.unlock();
      hooks_.write(text);
      lock.lock();
      writing_ = false;
      used_ -= size_of(text);
      if (!has_work()) written_.notify_all();
    } else if (stopping_) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace patchbay::log
