#include "pods/pod_resources.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <grpc/grpc.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "base/text.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"
#include "proto/podresources_v1.pb.h"

namespace patchbay::pods {
namespace {

using Kind = ListOutcome::Kind;

constexpr const char* kMethod = "/v1.PodResourcesLister/List";
constexpr std::chrono::milliseconds kCloseTimeout{500};
/// Maximum length of the kubelet's error message.
constexpr size_t kMaxErrorBytes = 200;
constexpr int kReadBytes = 4 << 10;
constexpr int kMostReadBytes = 64 << 10;

ListOutcome failed(std::string reason) {
  return {.kind = Kind::failed, .reason = std::move(reason)};
}

std::string error_text(const grpc::Status& status, std::chrono::milliseconds timeout) {
  const std::string its = printable(status.error_message(), kMaxErrorBytes);
  switch (status.error_code()) {
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return fmt::format("the kubelet did not answer within {} ms", timeout.count());
    case grpc::StatusCode::UNIMPLEMENTED:
      return "the kubelet has no PodResources API v1: " + its;
    case grpc::StatusCode::UNAVAILABLE:
      return "the connection was closed: " + its;
    default:
      return fmt::format("the call failed (code {}): {}", static_cast<int>(status.error_code()),
                         its);
  }
}

class GrpcPodResources final : public PodResources {
 public:
  GrpcPodResources(std::string path, std::string own_pod, std::chrono::milliseconds timeout)
      : path_(std::move(path)), own_pod_(std::move(own_pod)), timeout_(timeout) {}

  ListOutcome list(const ResourceNames& resources) override {
    UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection) return failed(fail_errno("cannot create a socket", errno).error().message);
    if (auto fault = connect(connection.get())) return *std::move(fault);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout_);
    if (!begin(context)) return failed("the daemon ends");
    ListOutcome outcome = call(std::move(connection), context, resources);
    end();
    return outcome;
  }

  void close() override {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (running_ == nullptr) return;
    running_->TryCancel();
    ended_.wait_for(lock, kCloseTimeout, [this] { return running_ == nullptr; });
  }

 private:
  std::optional<ListOutcome> connect(int fd) const {
    const auto address = UnixAddress::of(path_);
    if (!address) return failed(address.error().message);
    if (::connect(fd, address->get(), UnixAddress::size()) == 0) return {};
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) {
      return ListOutcome{.kind = Kind::no_socket, .reason = "no socket at " + path_};
    }
    if (error == ECONNREFUSED) return failed("nobody listens at " + path_);
    if (error == EAGAIN) return failed("too many calls wait for an answer at " + path_);
    return failed(fail_errno("cannot connect to " + path_, error).error().message);
  }

  ListOutcome call(UniqueFd connection, grpc::ClientContext& context,
                   const ResourceNames& resources) const {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(kMostAnswerBytes));
    arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
    arguments.SetInt(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadBytes);
    arguments.SetInt(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kReadBytes);
    arguments.SetInt(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMostReadBytes);
    // gRPC would decompress an answer before it checks the length.
    arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
    arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    grpc::GenericStub stub(
        grpc::CreateCustomInsecureChannelFromFd("localhost", connection.release(), arguments));
    const grpc::Slice nothing;
    const grpc::ByteBuffer request(&nothing, 1);
    grpc::ByteBuffer answer;
    grpc::Status status;
    // A queue of its own: a large answer delays no other call.
    grpc::CompletionQueue queue;
    const auto running = stub.PrepareUnaryCall(&context, kMethod, request, &queue);
    running->StartCall();
    running->Finish(&answer, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) continue;
    if (!status.ok()) return failed(error_text(status, timeout_));
    grpc::ProtoBufferReader bytes(&answer);
    auto list = read_pod_list(bytes, resources, own_pod_);
    if (!list) return failed("the kubelet's answer is refused: " + list.error().message);
    return {.list = *std::move(list)};
  }

  bool begin(grpc::ClientContext& context) {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    running_ = &context;
    return true;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    ended_.notify_all();
  }

  const std::string path_;
  const std::string own_pod_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable ended_;
  grpc::ClientContext* running_ = nullptr;  // Guarded by mutex_, as the next.
  bool closed_ = false;
};

}  // namespace

Result<PodList> read_pod_list(google::protobuf::io::ZeroCopyInputStream& bytes,
                              const ResourceNames& resources, std::string_view own_pod) {
  google::protobuf::Arena arena;
  auto& list = *google::protobuf::Arena::CreateMessage<v1::ListPodResourcesResponse>(&arena);
  if (!list.ParseFromZeroCopyStream(&bytes)) return fail("it cannot be read");
  const auto is_own = [&](const v1::PodResources& pod) {
    return pod.namespace_() + "/" + pod.name() == own_pod;
  };
  if (!own_pod.empty() && std::ranges::none_of(list.pod_resources(), is_own)) {
    return fail(fmt::format("it lacks our Pod {}", own_pod));
  }
  PodList read;
  auto& [allocations, claims] = read;
  for (const v1::PodResources& pod : list.pod_resources()) {
    for (const v1::ContainerResources& container : pod.containers()) {
      const auto owner = std::make_shared<const status::Container>(status::Container{
          .pod_namespace = pod.namespace_(), .pod = pod.name(), .name = container.name()});
      for (const v1::ContainerDevices& devices : container.devices()) {
        if (!resources.contains(devices.resource_name())) continue;
        for (const std::string& id : devices.device_ids()) {
          if (allocations.size() == kMaxAllocations) {
            return fail(fmt::format("it lists more than {} devices", kMaxAllocations));
          }
          allocations.push_back(
              {.resource = devices.resource_name(), .device = id, .container = owner});
        }
      }
      for (const v1::DynamicResource& claim : container.dynamic_resources()) {
        for (const v1::ClaimResource& device : claim.claim_resources()) {
          if (claims.size() == kMaxAllocations) {
            return fail(fmt::format("it lists more than {} DRA devices", kMaxAllocations));
          }
          claims.push_back({.claim_namespace = claim.claim_namespace(),
                            .claim = claim.claim_name(),
                            .driver = device.driver_name(),
                            .pool = device.pool_name(),
                            .device = device.device_name()});
        }
      }
    }
  }
  return read;
}

std::shared_ptr<PodResources> PodResources::at(const std::string& path, const std::string& own_pod,
                                               std::chrono::milliseconds timeout) {
  return std::make_shared<GrpcPodResources>(path, own_pod, timeout);
}

}  // namespace patchbay::pods
