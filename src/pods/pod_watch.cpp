#include "pods/pod_watch.h"

#include <utility>

#include "base/log.h"
#include "base/whereabouts.h"

namespace patchbay::pods {
namespace {

using State = observe::HoldersStatus::State;

}  // namespace

PodWatch::PodWatch(loop::EventLoop& loop, loop::BlockingWork& work, std::string path,
                   std::shared_ptr<PodResources> kubelet, std::function<ResourceNames()> offered)
    : loop_(loop),
      work_(work),
      path_(std::move(path)),
      kubelet_(std::move(kubelet)),
      offered_(std::move(offered)),
      times_(loop, [this] { ask(); }) {}

PodWatch::~PodWatch() { kubelet_->close(); }

void PodWatch::allocated(const std::string& resource, const std::vector<std::string>& devices,
                         loop::Time at) {
  held_.allocated(resource, devices, at);
  times_.allocated();
}

void PodWatch::look(loop::Task done) {
  if (!asking_ && times_.is_due()) ask();
  if (!asking_) return done();
  const uint64_t number = next_waiting_++;
  Waiting& waiting = waiting_[number];
  waiting.done = std::move(done);
  waiting.patience = loop_.after(kLookWaits, [this, number] { tell(number); });
}

void PodWatch::tell(uint64_t waiting) {
  auto its = std::move(waiting_.extract(waiting).mapped());
  its.patience.reset();
  its.done();
}

void PodWatch::ask() {
  if (asking_) {
    again_ = true;
    return;
  }
  asking_ = true;
  times_.asked();
  const loop::Time at = loop_.now();
  ResourceNames resources = held_.resources();
  resources.merge(offered_());
  const auto outcome = std::make_shared<ListOutcome>();
  // Read only if the work is done: it may go on else.
  call_ = work_.run(
      "who holds what", kHangs,
      [kubelet = kubelet_, resources = std::move(resources), outcome] {
        *outcome = kubelet->list(resources);
      },
      [this, outcome, at](loop::WorkOutcome how) {
        asked(how, how == loop::WorkOutcome::done ? *outcome : ListOutcome{}, at);
      });
}

void PodWatch::asked(loop::WorkOutcome how, const ListOutcome& outcome, loop::Time at) {
  asking_ = false;
  status_.asked = at;
  switch (how) {
    case loop::WorkOutcome::done:
      if (outcome.kind == ListOutcome::Kind::answered) {
        held_.take(outcome.held, at);
        status_.answered = at;
      }
      note(outcome.kind, outcome.reason);
      break;
    case loop::WorkOutcome::timed_out:
    case loop::WorkOutcome::still_hanging:
      note(ListOutcome::Kind::failed, does_not_answer(path_));
      break;
    case loop::WorkOutcome::no_thread:
      note(ListOutcome::Kind::failed, "no thread is free to ask");
      break;
  }
  if (std::exchange(again_, false)) return ask();  // Who looks wants to see it.
  while (!waiting_.empty()) tell(waiting_.begin()->first);
}

void PodWatch::note(ListOutcome::Kind kind, std::string reason) {
  const bool failed_before = status_.state == State::failing;
  const bool is_news = std::exchange(status_.reason, std::move(reason)) != status_.reason;
  switch (kind) {
    case ListOutcome::Kind::answered:
      status_.state = State::known;
      if (failed_before) log::info("the kubelet tells again which Pod holds what");
      return;
    case ListOutcome::Kind::no_socket:
      status_.state = State::no_socket;
      if (is_news) log::debug("which Pod holds what is not known", {{"reason", status_.reason}});
      return;
    case ListOutcome::Kind::failed:
      status_.state = State::failing;
      if (is_news) {
        log::info("the kubelet does not tell which Pod holds what", {{"reason", status_.reason}});
      }
      return;
  }
}

observe::HoldersStatusPtr PodWatch::status() const {
  auto status = std::make_shared<observe::HoldersStatus>(status_);
  status->path = path_;
  status->devices = held_.all();
  return status;
}

}  // namespace patchbay::pods
