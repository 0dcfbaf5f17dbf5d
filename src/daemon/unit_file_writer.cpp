#include "daemon/unit_file_writer.h"

#include <memory>
#include <utility>

#include "base/log.h"
#include "loop/executor.h"

namespace patchbay::daemon {
namespace {

/// Retry delay, for example for a directory that is missing or full.
constexpr loop::Milliseconds kRetryDelay = std::chrono::seconds(5);
/// Longer than the timeout of the directory's own lock, so that its more precise error comes first.
constexpr loop::Milliseconds kTimeout = 2 * loop::kHungAfter;

}  // namespace

UnitFileWriter::UnitFileWriter(loop::EventLoop& loop, loop::BlockingWork& work,
                               std::shared_ptr<specs::UnitFileStore> store, Publish publish)
    : loop_(loop), work_(work), store_(std::move(store)), publish_(std::move(publish)) {}

void UnitFileWriter::publish(inventory::SnapshotPtr snapshot) {
  const bool skips = newest_ && newest_ != writing_ && newest_ != forwarded_;
  newest_ = skips ? replacing(*newest_, std::move(snapshot)) : std::move(snapshot);
  if (writing_) return;
  if (has_files_ || specs::has_unit_files(*newest_->resource)) {
    write();
  } else {
    forward(newest_);
  }
}

void UnitFileWriter::remove(loop::Task removed) {
  removed_ = std::move(removed);
  if (!writing_) remove_now();
}

void UnitFileWriter::remove_now() {
  retry_.reset();
  if (!std::exchange(has_files_, false)) {
    working_ = loop_.after(loop::Milliseconds(0), std::exchange(removed_, nullptr));
    return;
  }
  run(
      [store = store_, name = newest_->resource->name](CurrentPath&) -> Result<void> {
        store->remove_all(name);
        return {};
      },
      [](UnitFileWriter& writer, const Result<void>&) {
        std::exchange(writer.removed_, nullptr)();
      });
}

/// Runs one operation at a time. `done` may destroy this object.
void UnitFileWriter::run(std::function<Result<void>(CurrentPath&)> blocking,
                         std::function<void(UnitFileWriter&, const Result<void>&)> done) {
  const auto current_path = std::make_shared<CurrentPath>();
  const auto result = std::make_shared<Result<void>>();
  working_ = work_.run(
      "the files of " + newest_->resource->name, kTimeout,
      [blocking = std::move(blocking), current_path, result] { *result = blocking(*current_path); },
      [this, current_path, result, done = std::move(done)](loop::WorkOutcome outcome) {
        switch (outcome) {
          case loop::WorkOutcome::done:
            return done(*this, *result);
          case loop::WorkOutcome::timed_out:
            timed_out_path_ = current_path;
            [[fallthrough]];
          case loop::WorkOutcome::still_hanging:
            return done(*this, fail(timed_out_path_ ? unresponsive_text(timed_out_path_->get())
                                                    : "their removal timed out"));
          case loop::WorkOutcome::no_thread:
            return done(*this, fail(kNoThreadText));
        }
      });
}

void UnitFileWriter::write() {
  writing_ = newest_;
  has_files_ = true;
  retry_.reset();
  run([store = store_, snapshot = newest_](
          CurrentPath& current_path) { return store->write(*snapshot, current_path); },
      [snapshot = newest_](UnitFileWriter& writer, const Result<void>& outcome) {
        writer.on_written(snapshot, outcome);
      });
}

void UnitFileWriter::on_written(const inventory::SnapshotPtr& snapshot,
                                const Result<void>& outcome) {
  writing_ = nullptr;
  if (removed_) return remove_now();
  if (outcome) {
    if (!std::exchange(failure_, {}).empty()) {
      log::info({"unit files are written again", log::EventKind::degraded},
                {{"resource", snapshot->resource->name}});
    }
    forward(snapshot);
  } else {
    note_failure(outcome.error().message);
  }
  if (newest_ != snapshot) publish(newest_);
}

void UnitFileWriter::forward(inventory::SnapshotPtr snapshot) {
  forwarded_ = snapshot;
  publish_(std::move(snapshot));
}

void UnitFileWriter::note_failure(const std::string& reason) {
  const auto write_log = reason == failure_ ? log::debug : log::warning;
  const char* const what = forwarded_ ? "cannot write unit files: keeping the previous device list"
                                      : "cannot write unit files: the resource is not registered";
  write_log({what, log::EventKind::degraded},
            {{"resource", newest_->resource->name}, {"reason", reason}});
  failure_ = reason;
  retry_ = loop_.after(kRetryDelay, [this] { write(); });
}

}  // namespace patchbay::daemon
