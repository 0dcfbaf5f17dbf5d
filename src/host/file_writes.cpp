#include "host/file_writes.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace patchbay::host {

FileWrites::FileWrites(loop::EventLoop& loop, std::function<void()> read)
    : loop_(loop), read_(std::move(read)) {}

void FileWrites::written() {
  const loop::Time now = loop_.now();
  if (!since_) since_ = now;
  read_at(std::min(now + kPause, *since_ + kMostWait));
}

void FileWrites::closed() {
  const loop::Time now = loop_.now();
  if (!since_) since_ = now;
  read_at(last_ ? std::max(now, *last_ + kPause) : now);
}

void FileWrites::read_at(loop::Time due) {
  const loop::Time now = loop_.now();
  if (due <= now) return read();
  timer_ = loop_.after(std::chrono::ceil<loop::Milliseconds>(due - now), [this] { read(); });
}

void FileWrites::read() {
  timer_.reset();
  since_.reset();
  last_ = loop_.now();
  read_();
}

}  // namespace patchbay::host
