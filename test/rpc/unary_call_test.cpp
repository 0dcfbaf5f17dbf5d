#include "rpc/unary_call.h"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/manual_loop.h"
#include "fake/patience.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"
#include "rpc/server.h"

namespace patchbay::rpc {
namespace {

struct TestOwner final : SocketOwner {
  using SocketOwner::SocketOwner;
  // gRPC's thread counts these.
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
};

/// The service Registration, as an example of a service that is not DevicePlugin.
class TestService final : public v1beta1::Registration::AsyncService {
 public:
  using Owner = TestOwner;
};

class RegisterCall final
    : public UnaryCall<RegisterCall, TestService, v1beta1::RegisterRequest, v1beta1::Empty> {
 public:
  static constexpr auto kRequest = &TestService::RequestRegister;

  RegisterCall(const CallEnvironment<TestService>& environment, OpenCalls<RegisterCall>& open)
      : UnaryCall(environment, open) {}

  /// Answers later, with the names of the owner and the resource.
  void begin(TestOwner& owner) {
    const std::string text = owner.name + ": " + request().resource_name();
    environment().thread.post([self = shared_from_this(), text] {
      self->finish({grpc::StatusCode::ALREADY_EXISTS, text});
    });
  }
  static void count(TestOwner& owner, bool ok, Duration /*duration*/) {
    ++(ok ? owner.answered : owner.failed);
  }
};

/// A client with one connection.
class Client {
 public:
  explicit Client(int fd)
      : stub_(v1beta1::Registration::NewStub(grpc::CreateInsecureChannelFromFd("localhost", fd))) {}

  /// Makes a call. Returns the code and the message of the answer.
  std::string call() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + fake::kPatience);
    v1beta1::RegisterRequest request;
    request.set_resource_name("a.io/b");
    v1beta1::Empty response;
    const grpc::Status status = stub_->Register(&context, request, &response);
    return std::to_string(status.error_code()) + " " + status.error_message();
  }

 private:
  std::unique_ptr<v1beta1::Registration::Stub> stub_;
};

class TestServer {
 public:
  TestServer() {
    server_.thread().post([this] {
      RegisterCall::wait_for_next(
          {.service = service_, .connections = server_.connections(), .thread = server_.thread()},
          open_);
    });
  }

  /// A client on a new connection of the owner.
  Client client(const std::shared_ptr<SocketOwner>& owner) {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    server_.serve(UniqueFd(pair[1]), owner);
    return Client(pair[0]);
  }

 private:
  fake::ManualLoop loop_;
  TestService service_;
  OpenCalls<RegisterCall> open_;
  Server server_{loop_, {&service_}, 1000};
};

TEST(UnaryCallTest, AnswersForTheOwnerOfTheConnection) {
  TestServer server;
  const auto one = std::make_shared<TestOwner>("one");
  const auto two = std::make_shared<TestOwner>("two");
  EXPECT_EQ(server.client(one).call(), "6 one: a.io/b");
  EXPECT_EQ(server.client(two).call(), "6 two: a.io/b");
  EXPECT_EQ(server.client(one).call(), "6 one: a.io/b");
  EXPECT_EQ(one->failed, 2);
  EXPECT_EQ(two->failed, 1);
}

TEST(UnaryCallTest, RejectsCallsOnSocketsOfAnotherService) {
  TestServer server;
  const std::string answer = server.client(std::make_shared<SocketOwner>("other")).call();
  EXPECT_TRUE(answer.starts_with("13 connection fd:")) << answer;
  EXPECT_TRUE(answer.ends_with(" has no owner")) << answer;
}

TEST(ServerTest, SecondServerStartsAndEndsWhileTheFirstRuns) {
  TestServer first;
  const auto owner = std::make_shared<TestOwner>("one");
  Client client = first.client(owner);
  EXPECT_EQ(client.call(), "6 one: a.io/b");
  for (int i = 0; i < 2; ++i) {
    TestServer second;
    EXPECT_EQ(second.client(std::make_shared<TestOwner>("two")).call(), "6 two: a.io/b");
    EXPECT_EQ(client.call(), "6 one: a.io/b");
  }
  EXPECT_EQ(client.call(), "6 one: a.io/b");
  EXPECT_EQ(first.client(owner).call(), "6 one: a.io/b");
}

}  // namespace
}  // namespace patchbay::rpc
