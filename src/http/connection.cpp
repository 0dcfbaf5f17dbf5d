#include "http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace patchbay::http {
namespace {

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

std::string head_text(const Answer& answer) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n",
      answer.status, reason_of(answer.status), date(), answer.type);
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  return text + fmt::format("Content-Length: {}\r\nConnection: close\r\n\r\n", answer.body.size());
}

bool is_temporary(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

void Connection::begin() {
  enter(State::reading, limits_.idle_timeout);
  event_ = loop_.watch_readable(
      socket_.get(), [self = shared_from_this()](loop::FdEvent /*event*/) { self->read_head(); });
  read_head();
}

void Connection::enter(State state, loop::Milliseconds timeout) {
  state_ = state;
  since_ = loop_.now();
  timer_ = loop_.after(timeout, [self = shared_from_this()] { self->on_timeout(); });
}

void Connection::on_timeout() {
  if (state_ == State::pending) return answer(unavailable("the answer timed out"));
  close();
}

void Connection::close() {
  if (std::exchange(state_, State::closed) == State::closed) return;
  event_.reset();
  timer_.reset();
  socket_.reset();
  callbacks_.closed(*this);
}

void Connection::read_head() {
  std::array<char, kReadBytes> chunk{};
  const size_t room = limits_.head_bytes - input_.size();
  const ssize_t got = recv(socket_.get(), chunk.data(), std::min(chunk.size(), room), 0);
  if (got < 0 && is_temporary(errno)) return;
  if (got <= 0) return close();
  input_.append(chunk.data(), static_cast<size_t>(got));
  const size_t size = head_size(input_);
  const bool is_whole = size != std::string::npos;
  if (!is_whole && input_.size() < limits_.head_bytes) {
    return enter(State::reading, limits_.idle_timeout);
  }
  Result<Head> head = fail("the request head is too long");
  if (is_whole) head = parse_head(std::string_view(input_).substr(0, size));
  with_body_ = !head || head->method != Head::Method::head;
  input_ = {};
  event_.reset();
  enter(State::pending, limits_.answer_timeout);
  callbacks_.requested(*this, std::move(head));
}

void Connection::answer(const Answer& answer) {
  if (state_ != State::pending) return;
  output_ = head_text(answer);
  if (with_body_) output_ += answer.body;
  write_answer();
}

void Connection::write_answer() {
  const ssize_t written =
      ::send(socket_.get(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL);
  if (written < 0 && !is_temporary(errno)) return close();
  if (written > 0) sent_ += static_cast<size_t>(written);
  if (sent_ == output_.size()) return close();
  enter(State::writing, limits_.idle_timeout);
  event_.reset();
  event_ =
      loop_.when_writable(socket_.get(), [self = shared_from_this()] { self->write_answer(); });
}

Answer unavailable(const std::string& why) {
  return {.status = 503, .body = why + "\n", .headers = {{"Retry-After", "1"}}};
}

}  // namespace patchbay::http
