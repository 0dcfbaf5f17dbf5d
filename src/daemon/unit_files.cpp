#include "daemon/unit_files.h"

#include <memory>
#include <utility>

#include "base/log.h"

namespace patchbay::daemon {
namespace {

/// A directory that is not there yet, or full, is looked at again so soon.
constexpr loop::Milliseconds kRetry = std::chrono::seconds(5);

}  // namespace

UnitFiles::UnitFiles(loop::EventLoop& loop, std::shared_ptr<specs::UnitFileStore> store,
                     Publish publish)
    : loop_(loop), store_(std::move(store)), publish_(std::move(publish)) {}

UnitFiles::~UnitFiles() {
  if (has_files_) store_->remove_device_infos(newest_->resource->name);
}

void UnitFiles::publish(inventory::SnapshotPtr snapshot) {
  newest_ = std::move(snapshot);
  if (writing_) return;
  if (has_files_ || specs::has_unit_files(*newest_->resource)) {
    write();
  } else {
    pass_on(newest_);
  }
}

void UnitFiles::remove(loop::Task removed) {
  removed_ = std::move(removed);
  if (!writing_) remove_now();
}

void UnitFiles::remove_now() {
  retry_.reset();
  const bool some = std::exchange(has_files_, false);
  loop_.work(
      [some, store = store_, name = newest_ ? newest_->resource->name : std::string()] {
        if (some) store->remove_all(name);
      },
      alive_.guard([](UnitFiles& files) { std::exchange(files.removed_, nullptr)(); }));
}

void UnitFiles::write() {
  writing_ = has_files_ = true;
  retry_.reset();
  const auto outcome = std::make_shared<Result<void>>();
  loop_.work([store = store_, snapshot = newest_, outcome] { *outcome = store->write(*snapshot); },
             alive_.guard([snapshot = newest_, outcome](UnitFiles& files) {
               files.ended(snapshot, *outcome);
             }));
}

void UnitFiles::ended(const inventory::SnapshotPtr& snapshot, const Result<void>& outcome) {
  writing_ = false;
  if (removed_) return remove_now();
  if (outcome) {
    if (!std::exchange(failure_, {}).empty()) {
      log::info("the files of units are written again", {{"resource", snapshot->resource->name}});
    }
    pass_on(snapshot);
  } else {
    note_failure(outcome.error().message);
    if (!passed_on_) {
      pass_on(std::make_shared<const inventory::Snapshot>(
          inventory::Snapshot{.resource = snapshot->resource, .units = {}}));
    }
  }
  if (newest_ != snapshot) publish(newest_);
}

void UnitFiles::pass_on(inventory::SnapshotPtr snapshot) {
  passed_on_ = true;
  publish_(std::move(snapshot));
}

void UnitFiles::note_failure(const std::string& reason) {
  const auto say = reason == failure_ ? log::debug : log::warning;
  say("cannot write the files of units, the kubelet keeps the list that it has",
      {{"resource", newest_->resource->name}, {"reason", reason}});
  failure_ = reason;
  retry_ = loop_.after(kRetry, [this] { write(); });
}

}  // namespace patchbay::daemon
