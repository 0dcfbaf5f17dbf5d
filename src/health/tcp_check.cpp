#include "health/tcp_check.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/result.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "loop/child_process.h"

namespace patchbay::health {
namespace {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

/// Each address gets a share of the timeout.
constexpr size_t kMostAddresses = 8;

struct Resolved {
  int error = 0;  ///< Result of getaddrinfo().
  std::deque<SocketAddress> addresses;
};

/// `flags`: with AI_NUMERICHOST this does not block.
Resolved resolve(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Resolved resolved;
  resolved.error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (resolved.error != 0) return resolved;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    if (resolved.addresses.size() == kMostAddresses) break;
    SocketAddress& address = resolved.addresses.emplace_back();
    address.length = std::min<socklen_t>(one->ai_addrlen, sizeof address.storage);
    std::memcpy(&address.storage, one->ai_addr, address.length);
  }
  ::freeaddrinfo(list);
  return resolved;
}

/// One check, alive until it is finished or cancelled.
class TcpRun : public std::enable_shared_from_this<TcpRun> {
 public:
  TcpRun(loop::EventLoop& loop, loop::WorkQueue& queue, const Check& check,
         std::move_only_function<void(CheckResult)> done)
      : loop_(loop),
        queue_(queue),
        host_(check.host),
        port_(check.port),
        timeout_(check.timeout),
        done_(std::move(done)) {}

  void start() {
    end_ = loop_.now() + timeout_;
    // In the next loop iteration, because some connections succeed or fail at once.
    timer_ = loop_.after(loop::Milliseconds(0), guarded(&TcpRun::begin));
  }

  void give_up() {
    timer_.reset();
    resolving_.reset();
    connecting_.reset();
    socket_.reset();
    done_ = nullptr;
  }

 private:
  loop::Task guarded(void (TcpRun::*next)()) {
    return [weak = weak_from_this(), next] {
      if (const auto run = weak.lock()) (run.get()->*next)();
    };
  }

  void begin() {
    Resolved literal = resolve(host_, port_, AI_NUMERICHOST);
    if (literal.error == 0) {
      addresses_ = std::move(literal.addresses);
      connect_next();
      return;
    }
    timer_.reset();
    const auto resolved = std::make_shared<Resolved>();
    resolving_ = queue_.run(
        "resolve " + host_, timeout_,
        [resolved, host = host_, port = port_] { *resolved = resolve(host, port, 0); },
        [weak = weak_from_this(), resolved](loop::WorkOutcome outcome) {
          if (const auto run = weak.lock()) run->resolved(outcome, *resolved);
        });
  }

  void resolved(loop::WorkOutcome outcome, Resolved& resolved);
  void connect_next();
  void connected();
  void attempt_failed(int error_number);
  void attempt_timed_out() { attempt_failed(ETIMEDOUT); }

  void finish(CheckResult::Kind kind, std::string reason = {}) {
    auto done = std::move(done_);
    give_up();
    if (done) done({.kind = kind, .reason = std::move(reason)});
  }
  [[nodiscard]] std::string target() const {
    const bool ipv6 = host_.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", printable(host_), ipv6 ? "]" : "", port_);
  }

  loop::EventLoop& loop_;
  loop::WorkQueue& queue_;
  std::string host_;
  uint16_t port_;
  loop::Milliseconds timeout_;
  std::move_only_function<void(CheckResult)> done_;
  loop::Time end_;
  std::deque<SocketAddress> addresses_;  ///< Not tried yet.
  UniqueFd socket_;
  loop::Subscription resolving_;
  loop::Subscription connecting_;
  loop::Subscription timer_;
};

void TcpRun::resolved(loop::WorkOutcome outcome, Resolved& resolved) {
  const std::string what = fmt::format("cannot resolve '{}'", printable(host_));
  switch (outcome) {
    case loop::WorkOutcome::timed_out:
    case loop::WorkOutcome::still_hanging:
      return finish(CheckResult::Kind::failed, what + ": " + loop::timeout_text(timeout_));
    case loop::WorkOutcome::no_thread:
      return finish(CheckResult::Kind::cannot_run, what + ": " + kNoThreadText);
    case loop::WorkOutcome::done:
      break;
  }
  if (resolved.error != 0) {
    finish(resolved.error == EAI_MEMORY ? CheckResult::Kind::cannot_run : CheckResult::Kind::failed,
           what + ": " + ::gai_strerror(resolved.error));
    return;
  }
  addresses_ = std::move(resolved.addresses);
  connect_next();
}

void TcpRun::connect_next() {
  const SocketAddress address = addresses_.front();
  const auto left = std::chrono::floor<loop::Milliseconds>(end_ - loop_.now());
  const auto share = left / static_cast<int>(addresses_.size());
  addresses_.pop_front();
  const auto* to = reinterpret_cast<const sockaddr*>(&address.storage);
  socket_ = UniqueFd(::socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return attempt_failed(errno);
  if (::connect(socket_.get(), to, address.length) == 0) return finish(CheckResult::Kind::done);
  if (errno != EINPROGRESS) return attempt_failed(errno);
  connecting_ = loop_.when_writable(socket_.get(), guarded(&TcpRun::connected));
  timer_ = loop_.after(std::max(share, loop::Milliseconds(1)), guarded(&TcpRun::attempt_timed_out));
}

void TcpRun::connected() {
  int error_number = 0;
  socklen_t size = sizeof error_number;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error_number, &size);
  if (error_number == 0) return finish(CheckResult::Kind::done);
  attempt_failed(error_number);
}

void TcpRun::attempt_failed(int error_number) {
  connecting_.reset();
  socket_.reset();
  timer_.reset();
  if (!addresses_.empty()) return connect_next();
  switch (error_number) {
    case ETIMEDOUT:
      return finish(CheckResult::Kind::failed, target() + ": " + loop::timeout_text(timeout_));
    case ECONNREFUSED:
      return finish(CheckResult::Kind::failed, target() + " refuses connections");
    case EACCES:
    case EPERM:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return finish(CheckResult::Kind::cannot_run,
                    fail_errno("cannot connect to " + target(), error_number).error().message);
    default:
      return finish(CheckResult::Kind::failed,
                    fail_errno("cannot connect to " + target(), error_number).error().message);
  }
}

}  // namespace

loop::Subscription check_tcp(loop::EventLoop& loop, loop::WorkQueue& queue, const Check& check,
                             std::move_only_function<void(CheckResult)> done) {
  const auto run = std::make_shared<TcpRun>(loop, queue, check, std::move(done));
  run->start();
  return loop::Subscription([run] { run->give_up(); });
}

}  // namespace patchbay::health
