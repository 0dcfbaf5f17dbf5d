#include "pods/pod_resources.h"

#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "fake/patience.h"
#include "fake/pod_resources_server.h"
#include "fake/temp_dir.h"

namespace patchbay::pods {
namespace {

using Kind = ListOutcome::Kind;

const ResourceNames kOurs{"a.io/tty"};

class PodResourcesTest : public ::testing::Test {
 protected:
  void serve() { server_ = std::make_unique<fake::PodResourcesServer>(path_); }
  [[nodiscard]] ListOutcome list() const { return kubelet_->list(kOurs); }
  [[nodiscard]] std::string failure() const {
    const ListOutcome outcome = list();
    return outcome.kind == Kind::failed ? outcome.reason : "it did not fail: " + outcome.reason;
  }

  fake::TempDir dir_;
  const std::string path_ = dir_ / "pod-resources/kubelet.sock";
  std::unique_ptr<fake::PodResourcesServer> server_;
  std::shared_ptr<PodResources> kubelet_ = PodResources::at(path_, "", fake::kPatience);
};

TEST_F(PodResourcesTest, ListsAllocatedDevices) {
  serve();
  server_->hold({{"n", "p", "c", "a.io/tty", {"u1"}}, {"n", "q", "c", "x.io/y", {"z"}}});
  const ListOutcome outcome = list();
  EXPECT_EQ(outcome.kind, Kind::answered) << outcome.reason;
  ASSERT_EQ(outcome.list.allocations.size(), 1U);
  EXPECT_EQ(outcome.list.allocations[0].device, "u1");
  EXPECT_EQ(outcome.list.allocations[0].container->pod, "p");
}

TEST_F(PodResourcesTest, AnswerWithoutOurPodFails) {
  serve();
  kubelet_ = PodResources::at(path_, "n/own", fake::kPatience);
  EXPECT_EQ(failure(), "the kubelet's answer is refused: it lacks our Pod n/own");
  server_->hold({{"n", "own", "c", "a.io/tty", {"u1"}}});
  EXPECT_EQ(list().kind, Kind::answered);
}

TEST_F(PodResourcesTest, MissingSocketIsNoFailure) {
  for (const char* what : {"no directory", "no socket"}) {
    EXPECT_EQ(list().kind, Kind::no_socket) << what;
    EXPECT_EQ(list().reason, "no socket at " + path_) << what;
    std::filesystem::create_directories(dir_ / "pod-resources");
  }
}

TEST_F(PodResourcesTest, EachCallMakesNewConnection) {
  serve();
  EXPECT_EQ(list().kind, Kind::answered);
  server_->stop();
  EXPECT_NE(list().kind, Kind::answered);
  server_->start();
  EXPECT_EQ(list().kind, Kind::answered);
  EXPECT_EQ(server_->calls(), 2U);
}

TEST_F(PodResourcesTest, ReportsAStaleSocket) {
  std::filesystem::create_directories(dir_ / "pod-resources");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(failure(), "nobody listens at " + path_);
  ::close(fd);
}

TEST_F(PodResourcesTest, ReportsAFileThatIsNoSocket) {
  std::filesystem::create_directories(dir_ / "pod-resources");
  std::ofstream(path_) << "file";
  EXPECT_EQ(failure(), "nobody listens at " + path_);
}

TEST_F(PodResourcesTest, ReportsAForbiddenDirectory) {
  serve();
  std::filesystem::permissions(dir_ / "pod-resources", std::filesystem::perms::none);
  std::string why;
  std::jthread([&] {
    ::setfsuid(65534);  // Applies to this thread only.
    why = failure();
  }).join();
  std::filesystem::permissions(dir_ / "pod-resources", std::filesystem::perms::owner_all);
  EXPECT_EQ(why, "cannot connect to " + path_ + ": Permission denied");
}

TEST_F(PodResourcesTest, ReportsAPathThatIsTooLong) {
  kubelet_ = PodResources::at("/" + std::string(200, 'x'));
  EXPECT_EQ(failure(),
            "socket path /" + std::string(200, 'x') + " has 201 bytes, a unix socket takes 107");
}

TEST_F(PodResourcesTest, ReportsServerThatDoesNotSpeakGrpc) {
  std::filesystem::create_directories(dir_ / "pod-resources");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  std::jthread peer([fd] {
    const int connection = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    const std::string words = "HTTP/1.1 400 Bad Request\r\n\r\n";
    EXPECT_EQ(::write(connection, words.data(), words.size()), ssize_t(words.size()));
    ::close(connection);
  });
  const std::string why = failure();
  // The reason depends on whether gRPC sees the data or the end of the connection first.
  EXPECT_TRUE(why.starts_with("the connection was closed: ") ||
              why == "the call failed (code 13): Trying to connect an http1.x server")
      << why;
  peer.join();
  ::close(fd);
}

TEST_F(PodResourcesTest, ReportsTheKubeletsError) {
  serve();
  server_->refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit"});
  EXPECT_EQ(failure(), "the call failed (code 8): rejected by rate limit");
  server_->refuse({grpc::StatusCode::UNIMPLEMENTED, "unknown service"});
  EXPECT_EQ(failure(), "the kubelet has no PodResources API v1: unknown service");
  server_->refuse({grpc::StatusCode::INTERNAL, "bad\x1b[31m" + std::string(5000, 'x')});
  EXPECT_TRUE(failure().starts_with("the call failed (code 13): bad\\x1b[31mxxx"));
  EXPECT_LT(failure().size(), 300U);
}

TEST_F(PodResourcesTest, CallToAHungKubeletTimesOut) {
  serve();
  server_->hang();
  kubelet_ = PodResources::at(path_, "", std::chrono::seconds(2));
  EXPECT_EQ(failure(), "the kubelet did not answer within 2000 ms");
  EXPECT_TRUE(fake::wait_until([&] { return server_->given_up() == 1; }));
}

TEST_F(PodResourcesTest, CloseEndsARunningCall) {
  serve();
  server_->hang();
  ListOutcome outcome;
  std::jthread asking([&] { outcome = list(); });
  EXPECT_TRUE(fake::wait_until([&] { return server_->calls() == 1; }));
  kubelet_->close();
  asking.join();
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_TRUE(fake::wait_until([&] { return server_->given_up() == 1; }));
  EXPECT_EQ(failure(), "the daemon ends");
}

TEST_F(PodResourcesTest, RejectsAnAnswerBeyondTheLimit) {
  serve();
  v1::ListPodResourcesResponse list_of_others;
  const std::string resource(200, 'x');
  for (size_t bytes = 0; bytes < PodResources::kMostAnswerBytes; bytes += 200) {
    list_of_others.add_pod_resources()->set_name(resource);
  }
  const std::string size = std::to_string(list_of_others.ByteSizeLong());
  server_->answer(std::move(list_of_others));
  EXPECT_EQ(failure(), "the call failed (code 8): Received message larger than max (" + size +
                           " vs. 4194304)");
}

TEST_F(PodResourcesTest, RejectsAMalformedAnswer) {
  serve();
  server_->hold({{"n", "not UTF-8: \xff", "c", "a.io/tty", {"u1"}}});
  EXPECT_EQ(failure(), "the kubelet's answer is refused: it cannot be read");
}

TEST_F(PodResourcesTest, ReadsALargeAnswer) {
  serve();
  auto list_of_all = fake::pod_list({{"n", "p", "c", "a.io/tty", {"u1"}}});
  const std::string name(200, 'x');
  for (int i = 0; i < 20'000; ++i) list_of_all.add_pod_resources()->set_name(name);
  server_->answer(std::move(list_of_all));
  const ListOutcome outcome = list();
  EXPECT_EQ(outcome.kind, Kind::answered) << outcome.reason;
  EXPECT_EQ(outcome.list.allocations.size(), 1U);
}

}  // namespace
}  // namespace patchbay::pods
