#include "daemon/reload.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "base/text.h"
#include "base/wall_clock.h"
#include "rules/plan_changes.h"

namespace patchbay::daemon {
namespace {

/// As the log names what could not be read.
constexpr const char* kAllOfIt = "the configuration, and what `when:` asks";

/// What becomes of the resources, for one line of the log.
std::string text_of(const std::vector<rules::ResourceChange>& changes) {
  std::vector<std::string> texts;
  for (const rules::ResourceChange& change : changes) {
    if (change.kind == rules::ResourceChange::Kind::kept) continue;
    std::string text = fmt::format("{} {}", word_of(change.kind), change.name);
    if (!change.keys.empty()) text += fmt::format(" ({})", fmt::join(change.keys, " "));
    texts.push_back(std::move(text));
  }
  return texts.empty() ? "the order of resources" : join(texts, ", ");
}

}  // namespace

Reload::Followed::Followed(loop::EventLoop& loop, loop::Inotify& inotify,
                           loop::WorkThreads& threads, const host::HostRoot& root)
    : look(host::PathChecker::create(threads, root)),
      follower(loop, *look, {.root = root, .inotify = &inotify, .permissions = true}) {}

void Reload::Followed::follow(std::set<std::string> wanted, host::PathListener& listener) {
  for (const std::string& path : paths) {
    if (!wanted.contains(path)) follower.drop(path, listener);
  }
  for (const std::string& path : wanted) {
    if (!paths.contains(path)) follower.follow(path, listener, true);
  }
  paths = std::move(wanted);
}

bool Reload::Followed::deaf() const {
  return !std::ranges::all_of(paths,
                              [&](const auto& path) { return follower.reports_all_changes(path); });
}

Reload::Reload(loop::EventLoop& loop, loop::Inotify& inotify, const host::HostRoot& root,
               Configuration living, observe::Counters& counters, Callbacks callbacks, Times times)
    : loop_(loop),
      counters_(counters),
      callbacks_(std::move(callbacks)),
      times_(times),
      threads_(loop),
      ours_(loop, inotify, threads_, {}),
      of_host_(loop, inotify, threads_, root),
      living_(living.plan),
      last_(std::make_shared<const Configuration>(std::move(living))),
      since_(loop.now()),
      digest_(last_->digest),
      shortage_(loop),
      mounts_(loop, [this] { mounted(); }) {
  had_room(last_->exhaustion_errno);
  // The first look at each is told: what happened since it was read is not missed.
  ours_.follow(last_->files, *this);
  of_host_.follow(last_->host_files, *this);
  period_ = loop_.every(times_.period, [this] {
    const bool retry = hangs_ || ours_.deaf() || of_host_.deaf();
    if (retry && reads_.size() < kMostRetries) read();
  });
}

/// No directory reports that a mount replaced a followed file: the followers find it, if it did.
void Reload::mounted() {
  ours_.follower.refresh();
  of_host_.follower.refresh();
}

void Reload::read_again() {
  soon_.reset();
  read();
}

void Reload::changed(const std::string& path) {
  if (soon_) return;
  log::debug("the configuration is read again soon", {{"because_of", path}});
  soon_ = loop_.after(kGather, [this] {
    soon_.reset();
    read();
  });
}

void Reload::read() {
  again_ = true;
  if (!reads_.empty() && !reads_.rbegin()->second.slow) return;  // It ends soon.
  if (reads_.size() < kMostReads) begin_read();
}

void Reload::begin_read() {
  again_ = false;
  const uint64_t number = ++newest_read_;
  const auto result = std::make_shared<Configuration>();
  // Without a name: one that hangs does not keep the next from a thread.
  reads_[number].work =
      threads_.run("", times_.timeout,
                   [read = callbacks_.read, before = last_, result] { *result = read(*before); },
                   {.done =
                        [this, number, result](loop::WorkOutcome outcome) {
                          const bool done = outcome == loop::WorkOutcome::done;
                          ended(number, outcome, done ? std::move(*result) : Configuration{});
                        },
                    .became_slow = [this, number] { became_slow(number); },
                    .ended_late = [this, number] { ended_late(number); }});
}

void Reload::became_slow(uint64_t read_number) {
  reads_.at(read_number).slow = true;
  if (again_) read();
}

void Reload::ended(uint64_t read_number, loop::WorkOutcome outcome, Configuration configuration) {
  // A read that timed out is still in progress.
  if (outcome != loop::WorkOutcome::timed_out) reads_.erase(read_number);
  if (read_number > accepted_read_) {
    if (outcome == loop::WorkOutcome::done) {
      accepted_read_ = read_number;
      on_read(std::move(configuration));
    } else {
      hang();
    }
  }
  if (again_) read();
}

void Reload::ended_late(uint64_t read_number) {
  reads_.erase(read_number);
  if (hangs_ || again_) read();
}

void Reload::hang() {
  if (std::exchange(hangs_, true)) return;
  log::warning("the configuration cannot be read: its file system does not answer",
               {{"running", std::to_string(number_)}, {"since", since_text()}});
}

bool Reload::had_room(int exhaustion_errno) {
  if (exhaustion_errno == 0) {
    shortage_.succeeded(kAllOfIt);
    return true;
  }
  shortage_.refused(kAllOfIt, exhaustion_errno, [this] { read(); });
  return false;
}

void Reload::on_read(Configuration configuration) {
  hangs_ = false;
  if (!had_room(configuration.exhaustion_errno)) return;
  if (!configuration.plan) {
    // What could not be read may be one of those that were.
    configuration.files.insert(ours_.paths.begin(), ours_.paths.end());
    configuration.host_files = of_host_.paths;
  }
  last_ = std::make_shared<const Configuration>(std::move(configuration));
  ours_.follow(last_->files, *this);
  of_host_.follow(last_->host_files, *this);
  if (!last_->plan) {
    refuse(last_->unreadable);
  } else if (rules::equivalent(*last_->plan, *living_)) {
    digest_ = last_->digest;
    if (!std::exchange(refused_, {}).empty()) log::debug("the configuration is what holds again");
  } else {
    take();
  }
}

void Reload::refuse(const std::string& reason) {
  const std::string said = reason + config::render(last_->diagnostics);
  if (refused_.empty()) refused_since_ = loop_.now();
  if (std::exchange(refused_, said) == said) return;
  counters_.refused_reloads.add();
  callbacks_.complain(*last_);
  const size_t errors = last_->diagnostics.error_count();
  log::error("the configuration is refused, the one before holds",
             {{"running", std::to_string(number_)},
              {"since", since_text()},
              {"reason", reason.empty() ? fmt::format("{} error{}", errors, errors == 1 ? "" : "s")
                                        : reason}});
}

std::string Reload::since_text() const { return WallClock::now().text(since_); }

observe::ConfigurationStatus Reload::status() const {
  return {.number = number_,
          .since = since_,
          .files = {last_->files.begin(), last_->files.end()},
          .digest = fmt::format("{:016x}", digest_),
          .refused = refused_,
          .refused_since = refused_since_,
          .followed = true,
          .hangs = hangs_};
}

void Reload::take() {
  if (const auto applied = callbacks_.apply(last_->plan); !applied) {
    return refuse(applied.error().message);
  }
  refused_.clear();
  if (!last_->diagnostics.all().empty()) callbacks_.complain(*last_);
  ++number_;
  since_ = loop_.now();
  digest_ = last_->digest;
  counters_.reloads.add();
  log::info("the configuration has changed",
            {{"running", std::to_string(number_)},
             {"changes", text_of(rules::changes_between(*living_, *last_->plan))}});
  living_ = last_->plan;
}

}  // namespace patchbay::daemon
