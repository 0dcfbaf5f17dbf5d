#include "http/listening.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fake/http_client.h"
#include "fake/temp_dir.h"

namespace patchbay::http {
namespace {

std::string outcome_of(const Result<UniqueFd>& socket) {
  return socket ? "listens" : socket.error().message;
}

TEST(ListenUnix, OnlyOwnerMayConnect) {
  const fake::TempDir dir;
  const std::string path = dir / "a/b/status.sock";
  const auto socket = listen_unix(path);
  ASSERT_TRUE(socket) << outcome_of(socket);
  struct stat status {};
  ASSERT_EQ(lstat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_TRUE(fake::HttpClient(path).connected());
}

TEST(ListenUnix, ReplacesStaleSocket) {
  const fake::TempDir dir;
  const std::string path = dir / "status.sock";
  { const auto first = listen_unix(path); }
  const auto socket = listen_unix(path);
  EXPECT_TRUE(socket) << outcome_of(socket);
}

TEST(ListenUnix, OneOfSeveralThreadsReplacesDeadSocket) {
  const fake::TempDir dir;
  const std::string path = dir / "status.sock";
  for (int round = 0; round < 50; ++round) {
    // Leaves the file of a socket without a listener, as a killed process does.
    { const auto dead = listen_unix(path); }
    std::barrier begin(4);
    std::array<UniqueFd, 4> sockets;
    std::vector<std::jthread> threads;
    for (auto& socket : sockets) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        if (auto mine = listen_unix(path)) socket = *std::move(mine);
      });
    }
    threads.clear();  // Joins the threads.
    EXPECT_EQ(std::ranges::count_if(sockets, [](const UniqueFd& fd) { return bool(fd); }), 1);
  }
}

TEST(ListenUnix, KeepsSocketOfOtherInstance) {
  const fake::TempDir dir;
  const std::string path = dir / "status.sock";
  const auto first = listen_unix(path);
  ASSERT_TRUE(first) << outcome_of(first);
  const auto socket = listen_unix(path);
  ASSERT_FALSE(socket);
  EXPECT_TRUE(is_socket_in_use(socket.error())) << outcome_of(socket);
  EXPECT_TRUE(fake::HttpClient(path).connected());
}

TEST(ListenUnix, KeepsRegularFile) {
  const fake::TempDir dir;
  const std::string path = dir.write("status.sock", "precious");
  EXPECT_EQ(outcome_of(listen_unix(path)), path + " exists and is not a socket");
}

TEST(ListenUnix, RejectsPathThatIsTooLong) {
  const std::string path = "/tmp/" + std::string(110, 'x');
  EXPECT_EQ(outcome_of(listen_unix(path)),
            "socket path " + path + " has 115 bytes, a unix socket takes 107");
}

TEST(TcpAddress, ParsesHostAndPort) {
  const auto text = [](const std::string& written) {
    const auto address = parse_tcp_address(written);
    return address ? address->host + " " + std::to_string(address->port) : address.error().message;
  };
  EXPECT_EQ(text("127.0.0.1:9405"), "127.0.0.1 9405");
  EXPECT_EQ(text("[fd00::1]:9405"), "fd00::1 9405");
  EXPECT_EQ(text("fd00::1:9405"), "fd00::1 9405");
  EXPECT_EQ(text(":9405"), " 9405");
  EXPECT_EQ(text("9405"), "no port: write HOST:PORT or :PORT");
  for (const char* port : {":0", ":65536", ":x", ":", ":1x"}) {
    EXPECT_EQ(text(port), "invalid port: write a number from 1 to 65535 after the last colon")
        << port;
  }
  EXPECT_EQ(text("localhost:1"),
            "invalid address: write it in numbers, such as 127.0.0.1 or [::1]");
}

TEST(TcpAddress, DetectsLoopbackInAnySpelling) {
  for (const char* own : {"127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "0000::0001",
                          "::ffff:127.0.0.1", "::FFFF:7f00:1"}) {
    EXPECT_TRUE(is_loopback_address(own)) << own;
  }
  for (const char* other : {"", "0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1",
                            "127.0.0.1.evil.example", "localhost"}) {
    EXPECT_FALSE(is_loopback_address(other)) << other;
  }
}

TEST(ListenTcp, ReportsPortInUse) {
  const uint16_t port = fake::free_port();
  const auto first = listen_tcp({.host = "127.0.0.1", .port = port});
  ASSERT_TRUE(first) << outcome_of(first);
  EXPECT_EQ(outcome_of(listen_tcp({.host = "127.0.0.1", .port = port})),
            "cannot listen on port " + std::to_string(port) + ": Address already in use");
}

}  // namespace
}  // namespace patchbay::http
