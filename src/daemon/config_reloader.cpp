#include "daemon/config_reloader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/current_path.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wall_clock.h"
#include "config/loader.h"
#include "rules/plan/plan_changes.h"

namespace patchbay::daemon {
namespace {

/// The subject of log lines about failed reads.
constexpr const char* kReadSubject = "the configuration and the facts of `when`";

/// Describes the changes of resources in one log line.
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

ConfigReloader::FollowedPaths::FollowedPaths(loop::EventLoop& loop, loop::Inotify& inotify,
                                             loop::WorkQueue& queue, const paths::HostRoot& root)
    : checker(paths::PathChecker::create(queue, root)),
      follower(loop, *checker, {.root = root, .inotify = &inotify, .all_writes = true}) {}

void ConfigReloader::FollowedPaths::follow(std::set<std::string> wanted,
                                           paths::PathListener& listener) {
  for (const std::string& path : paths) {
    if (!wanted.contains(path)) follower.drop(path, listener);
  }
  for (const std::string& path : wanted) {
    if (!paths.contains(path)) follower.follow(path, listener, true);
  }
  paths = std::move(wanted);
}

bool ConfigReloader::FollowedPaths::misses_events() const {
  return !std::ranges::all_of(paths,
                              [&](const auto& path) { return follower.reports_all_changes(path); });
}

ConfigReloader::ConfigReloader(loop::EventLoop& loop, loop::Inotify& inotify,
                               const paths::HostRoot& root, Configuration running,
                               status::Counters& counters, Callbacks callbacks, Times times)
    : loop_(loop),
      counters_(counters),
      callbacks_(std::move(callbacks)),
      times_(times),
      queue_(loop),
      own_paths_(loop, inotify, queue_, {}),
      host_paths_(loop, inotify, queue_, root),
      running_plan_(running.plan),
      missing_mounts_(running.missing_mounts),
      last_(std::make_shared<const Configuration>(std::move(running))),
      since_(loop.now()),
      digest_(last_->digest),
      exhaustion_(loop),
      mounts_(loop, [this] { on_mount(); }) {
  check_exhaustion(last_->exhaustion_errno);
  // The initial state of each path is reported: a change since the read is not missed.
  own_paths_.follow(last_->files, *this);
  host_paths_.follow(last_->host_files, *this);
  period_timer_ = loop_.every(times_.period, [this] {
    const bool retry = unresponsive_ || own_paths_.misses_events() || host_paths_.misses_events();
    if (retry && reads_.size() < kMaxRetries) read();
  });
}

/// A mount over a followed file causes no event in its directory: the followers check their paths.
void ConfigReloader::on_mount() {
  own_paths_.follower.refresh();
  host_paths_.follower.refresh();
}

void ConfigReloader::changed(const std::string& path) {
  if (read_timer_) return;
  log::debug("configuration will be read again soon", {{"path", path}});
  read_timer_ = loop_.after(kDebounce, [this] { read(); });
}

void ConfigReloader::write_event(const std::string& file, bool closed) {
  const bool followed = own_paths_.paths.contains(file) || host_paths_.paths.contains(file);
  if (!followed && !config::is_source_name(file.substr(file.rfind('/') + 1))) return;
  if (closed) return on_closed(file);
  writing_.try_emplace(file, loop_.now() + times_.writer);
  changed(file);
}

void ConfigReloader::on_closed(const std::string& file) {
  writing_.erase(file);
  changed(file);
}

loop::Time ConfigReloader::written_by() const {
  loop::Time last{};
  for (const auto& [file, limit] : writing_) last = std::max(last, limit);
  return last;
}

void ConfigReloader::read() {
  read_timer_.reset();
  const auto wait = std::chrono::ceil<loop::Milliseconds>(written_by() - loop_.now());
  if (wait > loop::Milliseconds(0)) {
    writer_timer_ = loop_.after(wait, [this] { read(); });
    return;
  }
  writer_timer_.reset();
  writing_.clear();
  changed_since_read_ = true;
  if (!reads_.empty() && !reads_.rbegin()->second.slow) return;  // It ends soon.
  if (reads_.size() < kMaxReads) begin_read();
}

void ConfigReloader::begin_read() {
  changed_since_read_ = false;
  const uint64_t number = ++newest_read_;
  const auto result = std::make_shared<Configuration>();
  // Without a name: otherwise a hung read would block the next one.
  reads_[number].work =
      queue_.run("", times_.timeout,
                 [read = callbacks_.read, before = last_, result] { *result = read(*before); },
                 {.done =
                      [this, number, result](loop::WorkOutcome outcome) {
                        const bool done = outcome == loop::WorkOutcome::done;
                        on_read_end(number, outcome, done ? std::move(*result) : Configuration{});
                      },
                  .became_slow = [this, number] { became_slow(number); },
                  .ended_late = [this, number] { ended_late(number); }});
}

void ConfigReloader::became_slow(uint64_t read_number) {
  reads_.at(read_number).slow = true;
  if (changed_since_read_) read();
}

void ConfigReloader::on_read_end(uint64_t read_number, loop::WorkOutcome outcome,
                                 Configuration configuration) {
  // A read that timed out is still in progress.
  if (outcome != loop::WorkOutcome::timed_out) reads_.erase(read_number);
  if (read_number > accepted_read_) {
    if (outcome == loop::WorkOutcome::done) {
      accepted_read_ = read_number;
      // Otherwise a file was written meanwhile, and is read again.
      if (written_by() <= loop_.now()) on_read(std::move(configuration));
    } else {
      on_unresponsive(outcome == loop::WorkOutcome::no_thread ? kNoThreadText
                                                              : "its file system is unresponsive");
    }
  }
  if (changed_since_read_) read();
}

void ConfigReloader::ended_late(uint64_t read_number) {
  reads_.erase(read_number);
  if (unresponsive_ || changed_since_read_) read();
}

void ConfigReloader::on_unresponsive(const char* reason) {
  if (std::exchange(unresponsive_, true)) return;
  log::warning(
      {"configuration cannot be read: keeping the previous one", log::EventKind::reload},
      {{"generation", std::to_string(number_)}, {"since", since_text()}, {"reason", reason}});
}

bool ConfigReloader::check_exhaustion(int exhaustion_errno) {
  if (exhaustion_errno == 0) {
    exhaustion_.succeeded(kReadSubject);
    return true;
  }
  exhaustion_.refused(kReadSubject, exhaustion_errno, [this] { read(); });
  return false;
}

void ConfigReloader::on_read(Configuration configuration) {
  unresponsive_ = false;
  if (!check_exhaustion(configuration.exhaustion_errno)) return;
  reject_missing_mounts(configuration);
  if (!configuration.plan) {
    // The previous files stay followed: an unreadable one may be among them.
    configuration.files.insert(own_paths_.paths.begin(), own_paths_.paths.end());
    configuration.host_files = host_paths_.paths;
  }
  last_ = std::make_shared<const Configuration>(std::move(configuration));
  own_paths_.follow(last_->files, *this);
  host_paths_.follow(last_->host_files, *this);
  if (!last_->plan) {
    refuse(last_->unreadable);
  } else if (rules::equivalent(*last_->plan, *running_plan_)) {
    digest_ = last_->digest;
    if (std::exchange(refused_, {}).empty()) return;
    log::info({"configuration unchanged", log::EventKind::reload},
              {{"generation", std::to_string(number_)}, {"since", since_text()}});
  } else {
    apply();
  }
}

void ConfigReloader::reject_missing_mounts(Configuration& configuration) const {
  if (!configuration.plan || rules::equivalent(*configuration.plan, *running_plan_)) return;
  // The text is the same: a fact of `when` changed, and there is no edit to reject.
  if (configuration.digest == digest_) return;
  for (const config::Diagnostic& missing : configuration.missing_mounts.all()) {
    const auto known = missing_mounts_.all();
    if (std::ranges::find(known, missing.message, &config::Diagnostic::message) == known.end()) {
      configuration.diagnostics.error(missing.at, missing.message, missing.hint);
    }
  }
  if (configuration.diagnostics.ok()) return;
  configuration.plan = nullptr;
  configuration.missing_mounts = {};  // They are errors now.
  // The facts of `when` can change: the next read compiles the text again.
  configuration.digest = 0;
}

void ConfigReloader::refuse(const std::string& reason) {
  const std::string text = reason + config::render(last_->diagnostics);
  if (refused_.empty()) refused_since_ = loop_.now();
  if (std::exchange(refused_, text) == text) return;
  counters_.refused_reloads.add();
  callbacks_.report(*last_);
  const size_t errors = last_->diagnostics.error_count();
  log::error({"configuration rejected: keeping the previous one", log::EventKind::reload},
             {{"generation", std::to_string(number_)},
              {"since", since_text()},
              {"reason", reason.empty() ? fmt::format("{} error{}", errors, errors == 1 ? "" : "s")
                                        : reason}});
}

std::string ConfigReloader::since_text() const { return WallClock::now().text(since_); }

status::ConfigurationStatus ConfigReloader::status() const {
  return {.number = number_,
          .since = since_,
          .files = {last_->files.begin(), last_->files.end()},
          .digest = fmt::format("{:016x}", digest_),
          .refused = refused_,
          .refused_since = refused_since_,
          .followed = true,
          .unresponsive = unresponsive_};
}

void ConfigReloader::apply() {
  callbacks_.apply(last_->plan);
  refused_.clear();
  callbacks_.report(*last_);
  ++number_;
  since_ = loop_.now();
  digest_ = last_->digest;
  counters_.reloads.add();
  log::info({"configuration changed", log::EventKind::reload},
            {{"generation", std::to_string(number_)},
             {"changes", text_of(rules::changes_between(*running_plan_, *last_->plan))}});
  running_plan_ = last_->plan;
  missing_mounts_ = last_->missing_mounts;
}

}  // namespace patchbay::daemon
