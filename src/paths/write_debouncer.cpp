#include "paths/write_debouncer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace patchbay::paths {

WriteDebouncer::WriteDebouncer(loop::EventLoop& loop, std::function<void()> read)
    : loop_(loop), read_(std::move(read)) {}

void WriteDebouncer::on_write() {
  const loop::Time now = loop_.now();
  if (!since_) since_ = now;
  read_at(std::min(now + kQuietTime, *since_ + kMaxDelay));
}

void WriteDebouncer::on_close() {
  const loop::Time now = loop_.now();
  if (!since_) since_ = now;
  read_at(last_ ? std::max(now, *last_ + kQuietTime) : now);
}

void WriteDebouncer::read_at(loop::Time due) {
  const loop::Time now = loop_.now();
  if (due <= now) return read();
  timer_ = loop_.after(std::chrono::ceil<loop::Milliseconds>(due - now), [this] { read(); });
}

void WriteDebouncer::read() {
  timer_.reset();
  since_.reset();
  last_ = loop_.now();
  read_();
}

}  // namespace patchbay::paths
