#include "standin/plugin_client.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

namespace patchbay::standin {
namespace {

constexpr int kLargestMessage = 4 * 1024 * 1024;  // The default of grpc-go, which the kubelet uses.
constexpr std::chrono::milliseconds kGiveUpCheckPeriod{100};

std::shared_ptr<grpc::Channel> make_channel(const std::string& path) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  // Keeps the flow control window at 64 KiB, so that a plugin notices a kubelet that does not read.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // Otherwise a new channel inherits the back-off of a dead channel to the same path.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel("unix:" + path, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

std::string to_text(const grpc::Status& status) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
       "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
       "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
       "UNAUTHENTICATED"});
  const auto code = static_cast<size_t>(status.error_code());
  return fmt::format("{}: {}", code < kNames.size() ? kNames.at(code) : "UNKNOWN",
                     status.error_message());
}

Result<void> PluginClient::dial(Clock::time_point until, const std::function<bool()>& given_up) {
  const auto channel = make_channel(address_.path);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    const auto slice = std::clamp(left, std::chrono::milliseconds(0), kGiveUpCheckPeriod);
    if (channel->WaitForConnected(std::chrono::system_clock::now() + slice)) break;
    if (given_up() || closed()) return fail("given up");
    if (Clock::now() >= until) return fail("no answer at " + address_.path);
  }
  const std::lock_guard lock(mutex_);
  if (closed_) return fail(reason_);
  stub_ = v1beta1::DevicePlugin::NewStub(channel);
  return {};
}

std::string PluginClient::watch(const ListEvents& events) {
  grpc::ClientContext context;
  const Use use(*this, context);
  if (!use.stub()) return closed_status().error_message();
  const auto reader = use.stub()->ListAndWatch(&context, v1beta1::Empty{});
  v1beta1::ListAndWatchResponse list;
  size_t lists_read = 0;
  while (true) {
    if (!events.may_read(lists_read)) {
      context.TryCancel();
      break;
    }
    if (!reader->Read(&list)) break;
    const auto now = Clock::now();
    ++lists_read;
    events.listed(list, now);
  }
  const auto status = reader->Finish();
  const std::lock_guard lock(mutex_);
  if (closed_) return reason_;
  return status.ok() ? "the plugin ended the stream" : to_text(status);
}

void PluginClient::close(const std::string& reason) {
  std::shared_ptr<v1beta1::DevicePlugin::Stub> dropped;  // Destroyed outside of the lock.
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  closed_ = true;
  reason_ = reason;
  dropped = std::move(stub_);
  for (grpc::ClientContext* context : running_) context->TryCancel();
}

bool PluginClient::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

grpc::Status PluginClient::closed_status() const {
  const std::lock_guard lock(mutex_);
  return {grpc::StatusCode::UNAVAILABLE, closed_ ? reason_ : "not connected"};
}

PluginClient::Use::Use(PluginClient& client, grpc::ClientContext& context)
    : client_(client), context_(context) {
  const std::lock_guard lock(client_.mutex_);
  stub_ = client_.stub_;
  client_.running_.insert(&context_);
}

PluginClient::Use::~Use() {
  const std::lock_guard lock(client_.mutex_);
  client_.running_.erase(&context_);
}

}  // namespace patchbay::standin
