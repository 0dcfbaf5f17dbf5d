#include "rpc/unary_call.h"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/manual_loop.h"
#include "fake/patience.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"
#include "rpc/grpc_setup.h"

namespace patchbay::rpc {
namespace {

struct TestOwner final : SocketOwner {
  using SocketOwner::SocketOwner;
  // Counted by gRPC's thread.
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
};

/// The Registration service of the kubelet, as a service beside the device plugin.
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

class UnaryCallTest : public testing::Test {
 protected:
  UnaryCallTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    limit_peers(builder, 1000);
    auto queue = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    thread_ = std::make_unique<GrpcThread>(std::move(queue));
    thread_->post([this] {
      RegisterCall::wait_for_next(
          {.service = service_, .connections = connections_, .thread = *thread_}, open_);
    });
  }
  ~UnaryCallTest() override {
    server_->Shutdown(std::chrono::system_clock::now());
    thread_->finish();
  }

  /// The answer to a call on a new connection of the owner.
  std::string call(const std::shared_ptr<SocketOwner>& owner,
                   const v1beta1::RegisterRequest& request) {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    auto accepted = connections_.add(UniqueFd(pair[1]), owner);
    grpc::AddInsecureChannelFromFd(server_.get(), accepted->release());
    const auto stub =
        v1beta1::Registration::NewStub(grpc::CreateInsecureChannelFromFd("localhost", pair[0]));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + fake::kPatience);
    v1beta1::Empty response;
    const grpc::Status status = stub->Register(&context, request, &response);
    return std::to_string(status.error_code()) + " " + status.error_message();
  }

  static v1beta1::RegisterRequest request() {
    v1beta1::RegisterRequest request;
    request.set_resource_name("a.io/b");
    return request;
  }

  fake::ManualLoop loop_;
  Connections connections_{loop_};
  TestService service_;
  OpenCalls<RegisterCall> open_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<GrpcThread> thread_;
};

TEST_F(UnaryCallTest, AnswersForTheOwnerOfTheConnection) {
  const auto one = std::make_shared<TestOwner>("one");
  const auto two = std::make_shared<TestOwner>("two");
  EXPECT_EQ(call(one, request()), "6 one: a.io/b");
  EXPECT_EQ(call(two, request()), "6 two: a.io/b");
  EXPECT_EQ(call(one, request()), "6 one: a.io/b");
  EXPECT_EQ(one->failed, 2);
  EXPECT_EQ(two->failed, 1);
}

TEST_F(UnaryCallTest, RejectsCallsOnSocketsOfAnotherService) {
  const std::string answer = call(std::make_shared<SocketOwner>("other"), request());
  EXPECT_TRUE(answer.starts_with("13 connection fd:")) << answer;
  EXPECT_TRUE(answer.ends_with(" has no owner")) << answer;
}

}  // namespace
}  // namespace patchbay::rpc
