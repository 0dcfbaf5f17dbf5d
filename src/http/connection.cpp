#include "http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace patchbay::http {
namespace {

constexpr std::chrono::milliseconds kNever{-1};
constexpr size_t kReadBytes = 4096;

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

/// "Sun, 06 Nov 1994 08:49:37 GMT", in any locale.
std::string date() {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm at{};
  gmtime_r(&now, &at);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays.at(static_cast<size_t>(at.tm_wday)), at.tm_mday,
                     kMonths.at(static_cast<size_t>(at.tm_mon)), at.tm_year + 1900, at.tm_hour,
                     at.tm_min, at.tm_sec);
}

/// The head without its length and its end.
std::string head_text(const Answer& answer) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n",
      answer.status, reason_of(answer.status), date(), answer.type);
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  return text;
}

bool is_temporary(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

Connection::Connection(Owner& owner, event_base* base, const Server::Limits& limits,
                       UniqueFd socket)
    : owner_(owner), base_(base), limits_(limits), socket_(std::move(socket)) {}

void Connection::begin() { enter(State::reading, EV_READ, limits_.idle_timeout); }

void Connection::enter(State state, short events, std::chrono::milliseconds timeout) {
  state_ = state;
  since_ = Clock::now();
  watch(events, timeout);
}

void Connection::watch(short events, std::chrono::milliseconds timeout) {
  event_.reset(event_new(
      base_, socket_.get(), static_cast<short>(events | EV_PERSIST),
      [](evutil_socket_t, short what, void* connection) {
        // The handler may close the connection.
        const auto self = static_cast<Connection*>(connection)->shared_from_this();
        self->on_event(what);
      },
      this));
  const timeval time = to_timeval(timeout);
  if (event_add(event_.get(), timeout == kNever ? nullptr : &time) != 0) close();
}

void Connection::on_event(short what) {
  if (state_ == State::closed) return;
  if ((what & EV_TIMEOUT) != 0)
    return state_ == State::waiting ? owner_.on_timeout(*this) : close();
  if (state_ == State::reading) return read_head();
  if (state_ == State::writing) return continue_answer();
  if ((what & EV_READ) != 0) return read_on_stream();
  continue_stream();
}

void Connection::close() {
  if (state_ == State::closed) return;
  close_silently();
  owner_.on_closed(*this);
}

void Connection::close_silently() {
  state_ = State::closed;
  event_.reset();
  socket_.reset();
}

bool Connection::is_idle() const {
  if (state_ != State::reading && state_ != State::writing) return false;
  const short awaited = state_ == State::reading ? POLLIN : POLLOUT;
  pollfd socket{.fd = socket_.get(), .events = awaited, .revents = 0};
  return poll(&socket, 1, 0) == 0;
}

// ---- Requests ----------------------------------------------------------------------------------

void Connection::read_head() {
  std::array<char, kReadBytes> chunk{};
  const size_t room = limits_.head_bytes - input_.size();
  const ssize_t got = recv(socket_.get(), chunk.data(), std::min(chunk.size(), room), 0);
  if (got < 0 && is_temporary(errno)) return;
  if (got <= 0) return close();
  input_.append(chunk.data(), static_cast<size_t>(got));
  const size_t size = head_size(input_);
  const bool is_whole = size != std::string::npos;
  if (!is_whole && input_.size() < limits_.head_bytes) return;
  Result<Head> head = fail("the request head is too long");
  if (is_whole) head = parse_head(std::string_view(input_).substr(0, size));
  excess_ = !is_whole || input_.size() > size;
  close_ = excess_ || !head || !head->keep_alive;
  input_ = {};
  // Nothing is read before the answer was taken.
  enter(State::waiting, 0, limits_.answer_timeout);
  if (state_ == State::waiting) owner_.on_request(*this, std::move(head));
}

void Connection::answer(const Answer& answer, bool with_body, bool close) {
  if (state_ != State::waiting) return;
  close_ = close_ || close;
  output_ = head_text(answer);
  output_ += fmt::format("Content-Length: {}\r\n{}\r\n", answer.body.size(),
                         close_ ? "Connection: close\r\n" : "");
  if (with_body) output_ += answer.body;
  state_ = State::writing;
  since_ = Clock::now();
  continue_answer();
  if (state_ == State::writing) watch(EV_WRITE, limits_.idle_timeout);
}

bool Connection::write_some() {
  const ssize_t written =
      ::send(socket_.get(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL);
  if (written < 0) return is_temporary(errno);
  sent_ += static_cast<size_t>(written);
  if (sent_ == output_.size()) {
    output_ = {};
    sent_ = 0;
  }
  return true;
}

void Connection::continue_answer() {
  if (!write_some()) return close();
  if (!output_.empty()) return;
  if (close_) return close();
  enter(State::reading, EV_READ, limits_.idle_timeout);
}

// ---- Streams -----------------------------------------------------------------------------------

bool Connection::become_stream() {
  if (state_ != State::waiting) return false;
  const std::string head = head_text({.type = "text/event-stream"}) + "Connection: close\r\n\r\n";
  // A stream has no timeout: there may be no events.
  enter(State::stream, EV_READ, kNever);
  send(head);
  // If it was closed during send(), its owner does not know it as a stream.
  is_stream_ = state_ == State::stream;
  return is_stream_;
}

void Connection::send(const std::string& text) {
  if (state_ != State::stream) return;
  if (output_.size() - sent_ > limits_.stream_bytes) return end();
  output_.erase(0, std::exchange(sent_, 0));
  output_ += text;
  if (!write_some()) return end();
  if (!output_.empty()) watch(EV_READ | EV_WRITE, kNever);
}

void Connection::end() {
  // The end is read later, outside the caller.
  if (state_ == State::stream) shutdown(socket_.get(), SHUT_RDWR);
}

/// The peer is gone, or sends unexpected bytes.
void Connection::read_on_stream() {
  char byte = 0;
  if (recv(socket_.get(), &byte, 1, 0) < 0 && is_temporary(errno)) return;
  close();
}

void Connection::continue_stream() {
  if (!write_some()) return close();
  if (output_.empty()) watch(EV_READ, kNever);
}

}  // namespace patchbay::http
