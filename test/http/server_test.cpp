#include "http/server.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/http_client.h"
#include "fake/temp_dir.h"
#include "http/listening.h"

namespace {

/// While set, accept4() fails as without descriptors.
std::atomic<bool> refuses_connections = false;
std::atomic<int> accept_calls = 0;

}  // namespace

/// Replaces the C library's function.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  ++accept_calls;
  if (refuses_connections) {
    errno = EMFILE;
    return -1;
  }
  return static_cast<int>(syscall(SYS_accept4, fd, address, size, flags));
}

namespace patchbay::http {
namespace {

using fake::http_body;
using fake::http_get;
using fake::HttpClient;

class ServerTest : public ::testing::Test {
 protected:
  void start(Server::Limits limits = {}) {
    auto server = Server::start(
        limits, {.answer = [this](const Request& request,
                                  Server::Reply reply) { answer(request, std::move(reply)); },
                 .is_liveness = [](const Request& request) { return request.path == "/alive"; },
                 .is_stream =
                     [this](const Request& request) {
                       if (request.path == "/stream") is_stream_();
                       return request.path == "/stream";
                     },
                 .opened =
                     [this](const Request&, const auto& stream) {
                       stream->send("data: first\n\n");
                       const std::lock_guard lock(mutex_);
                       stream_ = stream;
                       ++opened_;
                       changed_.notify_all();
                     },
                 .closed =
                     [this](const auto&) {
                       const std::lock_guard lock(mutex_);
                       stream_.reset();
                       ++closed_;
                       changed_.notify_all();
                     }});
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    auto socket = listen_unix(path_);
    ASSERT_TRUE(socket) << socket.error().message;
    server_->listen(*std::move(socket), Origin::local, false);
  }

  void answer(const Request& request, Server::Reply reply) {
    if (request.path == "/later") {
      const std::lock_guard lock(mutex_);
      later_.push_back(std::move(reply));
      changed_.notify_all();
      return;
    }
    if (request.path == "/large") return reply({.body = std::string(800'000, 'x')});
    std::string query;
    for (const auto& [name, value] : request.query) query += " " + name + "=" + value;
    reply({.body = (request.origin == Origin::local ? "local " : "network ") + request.path +
                   query + "\n"});
  }

  bool wait_for(const std::function<bool()>& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, fake::kPatience, holds);
  }

  fake::TempDir dir_;
  std::string path_ = dir_ / "s.sock";
  const uint16_t port_ = fake::free_port();
  std::mutex mutex_;
  std::condition_variable changed_;
  /// Expects that each request is refused and the connection closed, so that no part of it is read
  /// as another request.
  void expect_refused(const std::string& request) {
    HttpClient client(path_);
    client.send(request);
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << request << answer;
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos) << request << answer;
    EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << request << answer;
    EXPECT_EQ(answer.find("/smuggled"), std::string::npos) << request << answer;
  }

  /// Replaces the server's only connection by a regular file, which cannot be watched.
  void break_connection() const {
    const UniqueFd file(memfd_create("file", MFD_CLOEXEC));
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_un name{};
      socklen_t size = sizeof name;
      int listens = 1;
      socklen_t listens_size = sizeof listens;
      const bool ours = getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 &&
                        name.sun_family == AF_UNIX && name.sun_path == path_ &&
                        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0 &&
                        listens == 0;
      if (ours) dup2(file.get(), fd);
    }
  }

  std::function<void()> is_stream_ = [] {};  ///< Called when a stream was requested.
  std::vector<Server::Reply> later_;
  std::shared_ptr<Server::Stream> stream_;
  int opened_ = 0;
  int closed_ = 0;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersOverUnixSocketAndTcp) {
  start();
  EXPECT_EQ(http_body(path_, "/x?b=2&word&a=1"), "local /x a=1 b=2 word=\n");
  auto socket = listen_tcp({.host = "127.0.0.1", .port = port_});
  ASSERT_TRUE(socket) << socket.error().message;
  server_->listen(*std::move(socket), Origin::network, true);
  EXPECT_EQ(http_body(port_, "/y"), "network /y\n");
}

TEST_F(ServerTest, NewLocalSocketReplacesPreviousOne) {
  start();
  HttpClient kept(path_);
  kept.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(kept.read_until("local /first\n"));
  auto other = listen_unix(dir_ / "other.sock");
  ASSERT_TRUE(other) << other.error().message;
  server_->listen(*std::move(other), Origin::local, false);
  EXPECT_EQ(http_body(dir_ / "other.sock", "/x"), "local /x\n");
  EXPECT_FALSE(HttpClient(path_).connected());
  kept.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(kept.read_until("local /x\n"));
}

TEST_F(ServerTest, KeepsConnectionsAlive) {
  start();
  HttpClient client(path_);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send("GET /kept HTTP/1.1\r\nHost: x\r\n\r\n"));
    ASSERT_TRUE(client.read_until("local /kept\n")) << i;
  }
}

TEST_F(ServerTest, HeadHasNoBody) {
  start();
  HttpClient client(path_);
  client.send("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = client.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 9\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(ServerTest, RejectsWriteMethods) {
  start();
  for (const std::string method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}) {
    HttpClient client(path_);
    client.send(method + " /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << method << answer;
    EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), std::string::npos) << answer;
  }
}

TEST_F(ServerTest, RejectsForeignHostOnLoopback) {
  start();
  auto socket = listen_tcp({.host = "127.0.0.1", .port = port_});
  ASSERT_TRUE(socket) << socket.error().message;
  server_->listen(*std::move(socket), Origin::network, true);
  const auto status = [this](const std::string& host) {
    HttpClient client(port_);
    client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return client.read_all().substr(0, 12);
  };
  for (const char* foreign : {"evil.example", "127.evil.example", "localhost.evil.example:9405",
                              "127.0.0.1.evil.example", "[::1].evil.example", "10.0.0.1"}) {
    EXPECT_EQ(status(foreign), "HTTP/1.1 403") << foreign;
  }
  for (const char* own : {"localhost", "localhost:9405", "127.0.0.1", "127.1.2.3:80", "[::1]",
                          "[::1]:9405", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:1", ""}) {
    EXPECT_EQ(status(own), "HTTP/1.1 200") << own;
  }
  EXPECT_EQ(http_body(port_, "/x"), "network /x\n");
}

TEST_F(ServerTest, RejectsHeadWithoutEnd) {
  start();
  HttpClient client(path_);
  client.send("GET /x HTTP/1.1\r\nHost: x\r\nX: " + std::string(9000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, AcceptsHeadOfMaximumSize) {
  start();
  for (const bool fits : {true, false}) {
    const std::string first = "GET /x HTTP/1.1\r\nHost: x\r\nX: ";
    const std::string end = "\r\n\r\n";
    const size_t size = Server::Limits{}.head_bytes + (fits ? 0 : 1);
    HttpClient client(path_);
    client.send(first + std::string(size - first.size() - end.size(), 'x') + end);
    EXPECT_TRUE(client.read_until(fits ? "HTTP/1.1 200 " : "HTTP/1.1 400 ")) << fits;
  }
}

TEST_F(ServerTest, RejectsMalformedRequests) {
  start();
  HttpClient client(path_);
  client.send("\x16\x03\x01 nonsense\r\n\r\n");
  client.read_all();
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, RejectsBodyAndClosesConnection) {
  start();
  const std::string body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  for (const std::string method : {"GET", "HEAD"}) {
    const std::string head = method + " /x HTTP/1.1\r\nHost: x\r\n";
    expect_refused(head + length + "\r\n" + body);
    expect_refused(head + "Content-Length: 0\r\n" + length + "\r\n" + body);
    expect_refused(head + "Transfer-Encoding: chunked\r\n\r\n" + body);
    expect_refused(head + "Transfer-Encoding: none\r\n\r\n" + body);
  }
  HttpClient post(path_);
  post.send("POST /x HTTP/1.1\r\nHost: x\r\n" + length + "\r\n" + body);
  const std::string answer = post.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << answer;
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
}

TEST_F(ServerTest, ClosesAfterAnswerWhenBytesFollowRequest) {
  start();
  HttpClient client(path_);
  const std::string request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(request + request + request);
  const std::string answer = client.read_all();
  EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
}

TEST_F(ServerTest, DoesNotReadWhileRequestIsPending) {
  start();
  HttpClient client(path_);
  client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");  // The thread has run.
  {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(later_.size(), 1U);
    later_.front()({.body = "first\n"});
  }
  ASSERT_TRUE(client.read_until("first\n"));
  ASSERT_TRUE(wait_for([this] { return later_.size() == 2; }));
  later_.back()({.body = "second\n"});
  EXPECT_TRUE(client.read_until("second\n"));
}

TEST_F(ServerTest, PeerThatNeverReadsFillsOnlyKernelBuffers) {
  start();
  HttpClient client(path_);
  client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  // The answer exceeds the kernel's buffers, so the peer still has to read it.
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  size_t sent = 0;
  const std::string piece(65536, 'x');
  while (client.send_some(piece)) sent += piece.size();
  EXPECT_LT(sent, size_t{8} << 20U);
  EXPECT_TRUE(client.read_until("Content-Length: 800000\r\n"));
}

TEST_F(ServerTest, StreamEndsWhenPeerSends) {
  start();
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("data: first\n\n"));
  client.send("x");
  client.read_all();
  EXPECT_TRUE(wait_for([this] { return closed_ == 1; }));
}

TEST_F(ServerTest, RejectsStreamWhenBytesFollowRequest) {
  start();
  expect_refused("GET /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /smuggled HTTP/1.1\r\n");
}

TEST_F(ServerTest, AnswersLivenessWithFullQueue) {
  start({.waiting_requests = 1});
  HttpClient waits(path_);
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  EXPECT_TRUE(http_get(path_, "/x").starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(http_body(path_, "/alive"), "local /alive\n");
}

TEST_F(ServerTest, AnswersSlowRequestLater) {
  start();
  HttpClient waits(path_);
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  later_.front()({.body = "at last\n"});
  EXPECT_TRUE(waits.read_all().ends_with("\r\n\r\nat last\n"));
}

TEST_F(ServerTest, Answers503AfterTimeout) {
  start({.answer_timeout = std::chrono::seconds(0)});
  const std::string answer = http_get(path_, "/later");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nthe answer timed out\n")) << answer;
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  later_.front()({.body = "too late\n"});
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, LimitsPendingRequests) {
  start({.waiting_requests = 1});
  HttpClient waits(path_);
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  const std::string answer = http_get(path_, "/later");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos) << answer;
  later_.front()({.body = "at last\n"});
  EXPECT_TRUE(waits.read_all().ends_with("at last\n"));
}

TEST_F(ServerTest, ReplyAfterPeerHungUpIsIgnored) {
  start();
  {
    HttpClient goes(path_);
    goes.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  }
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  later_.front()({.body = "at last\n"});
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, ReplyAfterServerEndedIsIgnored) {
  start();
  HttpClient waits(path_);
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  server_.reset();
  later_.front()({.body = "too late\n"});
  EXPECT_EQ(waits.read_all(), "");
}

TEST_F(ServerTest, ClosedSilentPeersFreeConnections) {
  start({.connections = 4, .idle_timeout = std::chrono::seconds(1)});
  std::vector<HttpClient> silent;
  for (int i = 0; i < 12; ++i) silent.emplace_back(path_);
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, EvictsIdlePeerWhenFull) {
  start({.connections = 4, .idle_timeout = std::chrono::seconds(1000)});
  HttpClient stream(path_);
  stream.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(stream.read_until("data: first"));
  std::vector<HttpClient> silent;
  for (int i = 0; i < 12; ++i) {
    silent.emplace_back(path_);
    silent.back().send("GET /half");
  }
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(closed_, 0);  // A stream may be idle.
}

TEST_F(ServerTest, DoesNotEvictConnectionWithUnreadRequest) {
  start({.connections = 4, .eviction_idle = std::chrono::milliseconds(0)});
  const std::string request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(path_);
    clients.back().send(request);
    ASSERT_TRUE(clients.back().read_until("local /x\n"));
  }
  // The thread is late: it handles the new connection first, then the requests.
  std::promise<void> thread_waits;
  std::promise<void> requests_sent;
  server_->post([&] {
    thread_waits.set_value();
    requests_sent.get_future().wait();
  });
  thread_waits.get_future().wait();
  HttpClient fifth(path_);
  fifth.send(request);
  for (HttpClient& client : clients) client.send(request);
  requests_sent.set_value();
  for (HttpClient& client : clients) EXPECT_TRUE(client.read_until("local /x\n"));
  EXPECT_TRUE(fifth.read_until("local /x\n"));
}

TEST_F(ServerTest, TcpPeersThatSendNothingUseNoConnection) {
  constexpr std::chrono::seconds kNever{1000};
  start({.connections = 1, .idle_timeout = kNever, .eviction_idle = kNever});
  auto socket = listen_tcp({.host = "127.0.0.1", .port = port_});
  ASSERT_TRUE(socket) << socket.error().message;
  server_->listen(*std::move(socket), Origin::network, true);
  HttpClient silent(port_);
  EXPECT_EQ(http_body(port_, "/x"), "network /x\n");
  silent.send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(silent.read_until("network /late\n"));
}

TEST_F(ServerTest, RetriesReplacedSocketOnceAtATime) {
  start();
  ASSERT_EQ(http_body(path_, "/x"), "local /x\n");
  refuses_connections = true;
  accept_calls = 0;
  HttpClient first(path_);
  ASSERT_TRUE(fake::wait_until([] { return accept_calls == 1; }));
  auto other = listen_unix(dir_ / "other.sock");
  ASSERT_TRUE(other) << other.error().message;
  server_->listen(*std::move(other), Origin::local, false);
  ASSERT_TRUE(fake::wait_until([] { return accept_calls == 2; }));
  // It comes due after both retries, and before the retry that follows them.
  std::promise<int> calls;
  server_->after(std::chrono::seconds(1), [&] { calls.set_value(accept_calls); });
  EXPECT_EQ(calls.get_future().get(), 3);
  refuses_connections = false;
  EXPECT_EQ(http_body(dir_ / "other.sock", "/x"), "local /x\n");
}

TEST_F(ServerTest, FailedStreamIsNeitherOpenedNorClosed) {
  is_stream_ = [this] { break_connection(); };
  start({.streams = 1});
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_all();
  server_->post([this] { is_stream_ = [] {}; });
  HttpClient next(path_);
  next.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(next.read_until("data: first\n\n"));
  EXPECT_TRUE(wait_for([this] { return opened_ > 0; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(closed_, 0);
}

TEST_F(ServerTest, LimitsUnsentBytes) {
  start({.unsent_bytes = 1000'000});
  std::vector<HttpClient> lazy;
  for (int i = 0; i < 8; ++i) {
    lazy.emplace_back(path_);
    lazy.back().send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  EXPECT_TRUE(
      fake::wait_until([this] { return http_get(path_, "/large").starts_with("HTTP/1.1 503 "); }));
  lazy.clear();
  EXPECT_TRUE(
      fake::wait_until([this] { return http_get(path_, "/large").starts_with("HTTP/1.1 200 "); }));
}

TEST_F(ServerTest, StreamsEvents) {
  start();
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("Content-Type: text/event-stream\r\n"));
  ASSERT_TRUE(client.read_until("data: first\n\n"));
  ASSERT_TRUE(wait_for([this] { return stream_ != nullptr; }));
  server_->post([this] { stream_->send("data: second\n\n"); });
  ASSERT_TRUE(client.read_until("data: second\n\n"));
}

TEST_F(ServerTest, StreamEndsWhenPeerHangsUp) {
  start();
  {
    HttpClient client(path_);
    client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(client.read_until("data: first\n\n"));
  }
  EXPECT_TRUE(wait_for([this] { return closed_ == 1; }));
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, EndsStreamThatPeerDoesNotRead) {
  start({.stream_bytes = 1000});
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return stream_ != nullptr; }));
  // More than the kernel buffers for a peer that does not read.
  for (int i = 0; i < 200; ++i) {
    server_->post([this] {
      if (stream_) stream_->send("data: " + std::string(10'000, 'x') + "\n\n");
    });
  }
  EXPECT_TRUE(wait_for([this] { return closed_ == 1; }));
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
}

TEST_F(ServerTest, LimitsStreams) {
  start({.streams = 1});
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("data: first\n\n"));
  EXPECT_TRUE(http_get(path_, "/stream").starts_with("HTTP/1.1 503 "));
}

TEST_F(ServerTest, EndsWithOpenStream) {
  start();
  HttpClient client(path_);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("data: first\n\n"));
  {
    const std::lock_guard lock(mutex_);
    stream_.reset();
  }
  server_.reset();
  client.read_all();  // Reads to the end; otherwise the wait would last the whole patience.
}

}  // namespace
}  // namespace patchbay::http
