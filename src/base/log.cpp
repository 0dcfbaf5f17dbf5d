#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <spdlog/details/os.h>

#include "base/log_queue.h"
#include "base/repeat_filter.h"
#include "base/write_all.h"

namespace patchbay::log {
namespace {

constexpr size_t kQueued = size_t{512} << 10U;

bool wants_colors() {
  return spdlog::details::os::is_color_terminal() && spdlog::details::os::in_terminal(stderr);
}

class Output {
 public:
  void configure(Level level, Format format) {
    const std::lock_guard lock(mutex_);
    least_ = level;
    format_ = format;
    maker_ = LineMaker(format, wants_colors());
  }

  void start_writer_thread(RepeatPolicy policy) {
    const std::lock_guard lock(mutex_);
    if (queue_) return;
    filters_ = policy == RepeatPolicy::suppress;
    const auto maker = std::make_shared<LineMaker>(format_, wants_colors());
    queue_ = std::make_unique<LogQueue>(
        kQueued,
        LogQueue::Hooks{.write = [](const std::string& text) { write_all(STDERR_FILENO, text); },
                        .dropped = [maker](size_t lines) { return dropped_line(*maker, lines); }});
  }

  bool flush(std::chrono::milliseconds at_most) {
    LogQueue* queue = nullptr;
    {
      const std::unique_lock lock(mutex_, at_most);
      if (!lock) return false;
      if (!queue_) return true;
      put_repeated(repeats_.take_all());
      queue = queue_.get();
    }
    return queue->flush(at_most);
  }

  void wait_for_writer() {
    LogQueue* queue = nullptr;
    {
      const std::lock_guard lock(mutex_);
      queue = queue_.get();
    }
    if (queue != nullptr) queue->catch_up();
  }

  void listen(Listener listener) { listener_ = new Listener(std::move(listener)); }

  void log(const Entry& entry) {
    const Listener* const listener = listener_;
    if (listener == nullptr && entry.level < least_) return;
    const auto now = std::chrono::system_clock::now();
    if (listener != nullptr) (*listener)(entry, now);
    if (entry.level < least_) return;
    const std::lock_guard lock(mutex_);
    if (filters_ && !admit(entry)) return;
    put(maker_.line(entry, now));
  }

  /// Adds single lines, so that the first lines of a long text are kept if it does not fit.
  void text(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!queue_) return put(std::string(text));
    while (!text.empty()) {
      const size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
      put(std::string(text.substr(0, line)));
      text.remove_prefix(line);
    }
  }

 private:
  static std::string dropped_line(LineMaker& maker, size_t lines) {
    const Field count{"count", std::to_string(lines)};
    return maker.line({.level = Level::warning,
                       .message = "log lines were dropped",
                       .fields = std::span(&count, 1)},
                      std::chrono::system_clock::now());
  }

  // Called with the lock.
  void put(std::string text) {
    if (queue_) {
      queue_->add(std::move(text));
    } else {
      write_all(STDERR_FILENO, text);
    }
  }

  bool admit(const Entry& entry) {
    const auto now = std::chrono::steady_clock::now();
    const bool admitted = repeats_.admit(entry, now);
    put_repeated(repeats_.take_expired(now));
    return admitted;
  }

  void put_repeated(const std::vector<RepeatFilter::Repeated>& all) {
    for (const RepeatFilter::Repeated& repeated : all) {
      const std::vector<Field> fields(repeated.fields.begin(), repeated.fields.end());
      put(maker_.line({.level = repeated.level, .message = repeated.message, .fields = fields},
                      std::chrono::system_clock::now()));
    }
  }

  std::atomic<Level> least_ = Level::warning;
  std::atomic<const Listener*> listener_ = nullptr;  ///< Never destroyed, as this object.
  std::timed_mutex mutex_;  ///< For all below. Locked during writes, unless there is a queue.
  Format format_ = Format::text;
  LineMaker maker_{Format::text, wants_colors()};
  RepeatFilter repeats_;
  bool filters_ = false;  ///< Lines pass through `repeats_`.
  std::unique_ptr<LogQueue> queue_;
};

/// Never destroyed: hung threads may log while the process ends.
Output& output() {
  static auto* the_output = new Output;
  return *the_output;
}

void log_at(Level level, const Message& message, Fields fields) {
  output().log({.level = level, .message = message.text, .fields = fields, .event = message.event});
}

}  // namespace

void configure(Level level, Format format) { output().configure(level, format); }
void start_writer_thread(RepeatPolicy policy) { output().start_writer_thread(policy); }
bool flush(std::chrono::milliseconds at_most) { return output().flush(at_most); }
void wait_for_writer() { output().wait_for_writer(); }

void listen(Listener listener) { output().listen(std::move(listener)); }

void debug(Message message, Fields fields) { log_at(Level::debug, message, fields); }
void info(Message message, Fields fields) { log_at(Level::info, message, fields); }
void warning(Message message, Fields fields) { log_at(Level::warning, message, fields); }
void error(Message message, Fields fields) { log_at(Level::error, message, fields); }
void write(const Entry& entry) { output().log(entry); }
void text(std::string_view text) { output().text(text); }

}  // namespace patchbay::log
