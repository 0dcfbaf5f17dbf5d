#include "driver/kube_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/text.h"
#include "loop/child_process.h"
#include "loop/work_queue.h"

namespace patchbay::driver {
namespace {

constexpr loop::Milliseconds kFirstDelay{200};
constexpr loop::Milliseconds kMaxDelay{30'000};
constexpr loop::Milliseconds kStartTimeout{10'000};
/// More than the largest object of the API server, as in patchbay-kube.
constexpr size_t kMaxLine = size_t{4} << 20U;

std::string text_of(const Json& message, const char* key) {
  const auto found = message.find(key);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<int64_t> number_of(const Json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

std::vector<std::string> texts_of(const Json& message, const char* key) {
  std::vector<std::string> texts;
  for (const Json& item : message.value(key, Json())) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

/// Why the program ended. Also says what to do if the program or a library of it is missing.
std::string end_reason(const loop::ChildResult& result) {
  using Kind = loop::ChildResult::Kind;
  constexpr int kLibraryMissing = 127;  // The exit code of the dynamic loader.
  std::string reason = loop::program_fault(result, kStartTimeout);
  if (reason.empty()) return "exit code 0";
  const bool missing = result.kind == Kind::cannot_start
                           ? result.reason == std::generic_category().message(ENOENT)
                           : result.kind == Kind::exited && result.number == kLibraryMissing;
  if (missing) reason += ": for DRA use the image, or on Debian 12 the package";
  return reason;
}

}  // namespace

KubeClient::KubeClient(loop::EventLoop& loop, loop::BlockingWork& work, Options options,
                       KubeEvents events)
    : loop_(loop),
      work_(work),
      options_(std::move(options)),
      events_(std::move(events)),
      delay_(kFirstDelay) {
  start();
}

void KubeClient::start() {
  started_ = loop_.now();
  std::array<int, 2> ends{};
  UniqueFd output(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
  UniqueFd other_end;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0) {
    socket_ = UniqueFd(ends[0]);
    other_end = UniqueFd(ends[1]);
    writable_ = UniqueFd(::fcntl(ends[0], F_DUPFD_CLOEXEC, 0));
  }
  if (!writable_) {
    return loop_.post(weak_self_.guard([number = errno](KubeClient& client) {
      client.on_ended({.kind = loop::ChildResult::Kind::cannot_start,
                       .reason = std::generic_category().message(number)});
    }));
  }
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  reading_ = loop_.watch_readable(socket_.get(), [this](loop::FdEvent) { on_readable(); });
  process_ = loop_.spawn(
      {.arguments = options_.command,
       .environment = options_.environment,
       .output = std::move(output),
       .socket = std::move(other_end),
       .start_within = kStartTimeout},
      work_,
      {.started = [] {},
       .ended = weak_self_.guard(
           [](KubeClient& client, const loop::ChildResult& result) { client.on_ended(result); })});
  send({{"hold", hold_}});
  if (wanted_) send_pool();
}

/// Starts the program again, later. A program that ran for kMaxDelay resets the delay.
void KubeClient::on_ended(const loop::ChildResult& result) {
  reading_.reset();
  writing_.reset();
  process_.reset();
  socket_.reset();
  writable_.reset();
  received_.clear();
  unsent_.clear();
  const std::string reason = end_reason(result);
  log::warning("the API client ended: it is started again",
               {{"program", options_.command.front()}, {"reason", reason}});
  events_.api("the API client is not running (" + reason + ")");
  fail_pending("the API client ended: the kubelet calls again");
  if (loop_.now() - started_ >= kMaxDelay) delay_ = kFirstDelay;
  restart_ = loop_.after(delay_, [this] { start(); });
  delay_ = std::min(2 * delay_, kMaxDelay);
}

void KubeClient::fail_pending(const std::string& reason) {
  for (auto& [key, done] : std::exchange(pending_, {})) {
    loop_.post([call = std::move(done), reason]() mutable { call(fail(reason)); });
  }
}

int64_t KubeClient::publish(PoolSlices slices) {
  ++number_;
  wanted_ = std::move(slices);
  send_pool();
  return number_;
}

void KubeClient::hold(bool on) {
  if (std::exchange(hold_, on) != on) send({{"hold", on}});
}

void KubeClient::get_claim(const std::string& name_space, const std::string& name, GotClaim done) {
  const int64_t key = ++next_get_;
  pending_.emplace(key, std::move(done));
  if (!socket_) return fail_pending("the API client is not running: the kubelet calls again");
  send({{"get", key}, {"namespace", name_space}, {"name", name}});
}

void KubeClient::send_pool() {
  send({{"wanted", number_}, {"slices", wanted_->size()}});
  for (const Json& devices : *wanted_) send({{"devices", devices}});
}

void KubeClient::send(const Json& line) {
  if (!socket_) return;
  unsent_ += json_text(line, -1);
  if (!writing_) write_pending();
}

void KubeClient::write_pending() {
  writing_.reset();
  while (!unsent_.empty()) {
    const ssize_t written =
        ::send(writable_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      writing_ = loop_.when_writable(writable_.get(), [this] { write_pending(); });
      return;
    }
    if (written < 0) return unsent_.clear();  // The program has ended, which is reported soon.
    unsent_.erase(0, static_cast<size_t>(written));
  }
}

void KubeClient::on_readable() {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(socket_.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return reading_.reset();  // The end of the program follows.
  received_.append(buffer.data(), static_cast<size_t>(got));
  size_t begin = 0;
  for (size_t end = 0; (end = received_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line(std::string_view(received_).substr(begin, end - begin));
  }
  received_.erase(0, begin);
  if (received_.size() > kMaxLine) {
    on_ended({.kind = loop::ChildResult::Kind::cannot_start, .reason = "a line without an end"});
  }
}

void KubeClient::on_line(std::string_view line) {
  const Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) return;
  if (const auto stored = number_of(message, "stored")) {
    events_.stored(*stored, texts_of(message, "dropped"));
  } else if (const auto rejected = number_of(message, "rejected")) {
    events_.rejected(*rejected, text_of(message, "reason"));
  } else if (message.contains("api")) {
    events_.api(text_of(message, "reason"));
  } else if (const auto wrote = from_word<status::SliceWrite>(text_of(message, "wrote"))) {
    events_.wrote(*wrote);
  } else if (const auto got = number_of(message, "got")) {
    auto pending = pending_.extract(*got);
    if (!pending) return;
    const auto claim = message.find("claim");
    if (claim != message.end()) return pending.mapped()(*claim);
    const int status = static_cast<int>(number_of(message, "status").value_or(0));
    pending.mapped()(std::unexpected(Error{text_of(message, "error"), status}));
  }
}

}  // namespace patchbay::driver
