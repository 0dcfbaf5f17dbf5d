#include "http/server.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
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

/// If set, accept4() fails as without free descriptors.
std::atomic<bool> refuses_connections = false;
std::atomic<int> accept_calls = 0;

}  // namespace

/// Replaces the function of the C library, and counts its calls.
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
    server_ = Server::start(
        limits, {.answer = [this](const Request& request,
                                  Server::Reply reply) { answer(request, std::move(reply)); },
                 .is_probe = [](const Request& request) { return request.path == "/alive"; }});
    auto socket = listen_unix(path_);
    ASSERT_TRUE(socket) << socket.error().message;
    server_->listen(*std::move(socket), Origin::local, false);
  }

  void listen_at_port() {
    auto socket = listen_tcp({.host = "127.0.0.1", .port = port_});
    ASSERT_TRUE(socket) << socket.error().message;
    server_->listen(*std::move(socket), Origin::network, true);
  }

  void answer(const Request& request, Server::Reply reply) {
    asked_.push_back(request.path);
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

  /// Waits until the server has processed all that was sent.
  void await_loop() const {
    for (int i = 0; i < 2; ++i) {
      std::promise<void> passed;
      server_->loop().post([&] { passed.set_value(); });
      passed.get_future().wait();
    }
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
  /// Expects that the request is refused and the connection closed, so that no part of the request
  /// counts as another one.
  void expect_refused(const std::string& request) {
    HttpClient client(path_);
    client.send(request);
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << request << answer;
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos) << request << answer;
    EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << request << answer;
    EXPECT_EQ(answer.find("/smuggled"), std::string::npos) << request << answer;
  }

  std::vector<Server::Reply> later_;
  std::vector<std::string> asked_;  ///< The paths of all requests, in their order.
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersOverUnixSocketAndTcp) {
  start();
  EXPECT_EQ(http_body(path_, "/x?b=2&word&a=1"), "local /x a=1 b=2 word=\n");
  listen_at_port();
  EXPECT_EQ(http_body(port_, "/y"), "network /y\n");
}

TEST_F(ServerTest, AnswerToHeadHasNoBody) {
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
  listen_at_port();
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

TEST_F(ServerTest, RejectsTooLargeHead) {
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

TEST_F(ServerTest, ContinuesAfterMalformedRequest) {
  start();
  HttpClient client(path_);
  client.send("\x16\x03\x01 nonsense\r\n\r\n");
  const std::string answer = client.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
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

TEST_F(ServerTest, PeerThatNeverReadsFillsOnlyKernelBuffers) {
  start();
  HttpClient client(path_);
  client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  // The first answer exceeds the kernel's buffers, so a part of it waits in the server.
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  size_t sent = 0;
  const std::string piece(65536, 'x');
  while (client.send_some(piece)) sent += piece.size();
  EXPECT_LT(sent, size_t{8} << 20U);
  EXPECT_TRUE(client.read_until("Content-Length: 800000\r\n"));
}

TEST_F(ServerTest, AnswersProbeWhileQueueIsFull) {
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
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
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
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
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

TEST_F(ServerTest, NewLocalSocketReplacesPreviousOne) {
  start();
  HttpClient kept(path_);
  kept.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  auto other = listen_unix(dir_ / "other.sock");
  ASSERT_TRUE(other) << other.error().message;
  server_->listen(*std::move(other), Origin::local, false);
  EXPECT_EQ(http_body(dir_ / "other.sock", "/x"), "local /x\n");
  EXPECT_FALSE(HttpClient(path_).connected());
  later_.front()({.body = "at last\n"});
  EXPECT_TRUE(kept.read_until("at last\n"));
}

TEST_F(ServerTest, ClosesAfterOneAnswer) {
  start();
  for (const char* const header : {"", "Connection: keep-alive\r\n"}) {
    HttpClient client(path_);
    client.send(std::string("GET /x HTTP/1.1\r\nHost: x\r\n") + header + "\r\n");
    const std::string answer = client.read_all();
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\nlocal /x\n")) << answer;
  }
}

/// A peer that keeps its connection while the server allows it. It reads each answer before its
/// next request.
class PolitePeer {
 public:
  PolitePeer(uint16_t port, size_t number)
      : port_(port), path_("/old/" + std::to_string(number)), client_(port) {
    ask();
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  void ask() const { client_.send("GET " + path_ + " HTTP/1.1\r\nHost: localhost\r\n\r\n"); }
  void read_and_ask() {
    bool closes = false;
    for (std::string line = client_.read_line(); line != "\r"; line = client_.read_line()) {
      ASSERT_NE(line, "");
      closes = closes || line == "Connection: close\r";
    }
    ASSERT_EQ(client_.read_line(), "network " + path_);
    if (closes) client_ = HttpClient(port_);
    ask();
  }

 private:
  uint16_t port_;
  std::string path_;
  HttpClient client_;
};

class PolitePeersTest : public ServerTest, public ::testing::WithParamInterface<size_t> {};

/// All old peers send a second request before the new peer sends its first one.
TEST_P(PolitePeersTest, NewPeerIsAnsweredBeforeThirdRequestsOfOldPeers) {
  start();
  listen_at_port();
  std::vector<PolitePeer> peers;
  for (size_t i = 0; i < GetParam(); ++i) peers.emplace_back(port_, i);
  for (PolitePeer& peer : peers) peer.read_and_ask();
  HttpClient fresh(port_);
  fresh.send("GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (PolitePeer& peer : peers) peer.read_and_ask();
  ASSERT_TRUE(fresh.read_until("network /alive\n"));
  server_->finish();
  const auto alive = std::ranges::find(asked_, "/alive");
  ASSERT_NE(alive, asked_.end());
  for (const PolitePeer& peer : peers) {
    EXPECT_LE(std::count(asked_.begin(), alive, peer.path()), 2) << peer.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, PolitePeersTest, ::testing::Values(64, 200));

TEST_F(ServerTest, NewPeerReplacesPeerThatIsSilentForLongest) {
  start({.connections = 4, .idle_timeout = std::chrono::seconds(1000)});
  std::vector<HttpClient> silent;
  for (int i = 0; i < 12; ++i) {
    silent.emplace_back(path_);
    silent.back().send("GET /half");
  }
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  EXPECT_EQ(silent.front().read_all(), "");
  silent.back().send(" HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(silent.back().read_until("local /half\n"));
}

TEST_F(ServerTest, NewPeerDoesNotReplaceAPendingRequest) {
  start({.connections = 2, .idle_timeout = std::chrono::seconds(1000)});
  HttpClient waits(path_);
  waits.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_for([this] { return later_.size() == 1; }));
  std::vector<HttpClient> silent;
  for (int i = 0; i < 12; ++i) {
    silent.emplace_back(path_);
    silent.back().send("GET /half");
  }
  EXPECT_EQ(http_body(path_, "/x"), "local /x\n");
  later_.front()({.body = "at last\n"});
  EXPECT_TRUE(waits.read_until("at last\n"));
}

TEST_F(ServerTest, AcceptsNextPeerAfterAllConnectionsWaited) {
  start({.connections = 2});
  std::vector<HttpClient> waiting;
  for (size_t i = 0; i < 2; ++i) {
    waiting.emplace_back(path_);
    waiting.back().send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(wait_for([this, i] { return later_.size() == i + 1; }));
  }
  HttpClient next(path_);
  next.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  await_loop();
  for (const Server::Reply& reply : later_) reply({.body = "at last\n"});
  for (HttpClient& client : waiting) EXPECT_TRUE(client.read_until("at last\n"));
  EXPECT_TRUE(next.read_until("local /x\n"));
}

TEST_F(ServerTest, TcpPeerUsesNoConnectionBeforeItSends) {
  start({.connections = 1, .idle_timeout = std::chrono::seconds(1000)});
  listen_at_port();
  HttpClient silent(port_);
  EXPECT_EQ(http_body(port_, "/x"), "network /x\n");
  silent.send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(silent.read_until("network /late\n"));
}

TEST_F(ServerTest, OnlyNewestSocketRetriesRefusedConnections) {
  start();
  ASSERT_EQ(http_body(path_, "/x"), "local /x\n");
  refuses_connections = true;
  accept_calls = 0;
  HttpClient first(path_);
  ASSERT_TRUE(fake::wait_until([] { return accept_calls == 1; }));
  auto other = listen_unix(dir_ / "other.sock");
  ASSERT_TRUE(other) << other.error().message;
  server_->listen(*std::move(other), Origin::local, false);
  HttpClient second(dir_ / "other.sock");
  ASSERT_TRUE(fake::wait_until([] { return accept_calls == 2; }));
  // The second socket has replaced the first one and its retry. The timer is due after the retry of
  // the second socket, and before its next retry.
  std::promise<int> calls;
  loop::Subscription timer;
  loop::EventLoop& loop = server_->loop();
  const auto count = [&] { loop.post([&] { calls.set_value(accept_calls); }); };
  loop.post([&] { timer = loop.after(std::chrono::seconds(1), count); });
  EXPECT_EQ(calls.get_future().get(), 3);
  refuses_connections = false;
  EXPECT_EQ(http_body(dir_ / "other.sock", "/x"), "local /x\n");
  server_->finish();
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

}  // namespace
}  // namespace patchbay::http
