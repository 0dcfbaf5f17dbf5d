#include "fake/scripted_plugin.h"

#include <deque>
#include <stdexcept>
#include <utility>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include "base/text.h"

namespace patchbay::fake {

using v1beta1::ListAndWatchResponse;

/// One ListAndWatch call. Writes the given lists in order; deletes itself.
class ScriptedPlugin::Stream final : public grpc::ServerWriteReactor<ListAndWatchResponse> {
 public:
  Stream(EventLog<PluginEvent>& log, std::function<void(Stream*)> forget)
      : log_(log), forget_(std::move(forget)) {}

  void offer(const ListAndWatchResponse& list) {
    const std::lock_guard lock(mutex_);
    lists_.push_back(list);
    if (!writing_) go_on();
  }

  void end(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = status;
    if (!writing_) go_on();
  }

  void OnWriteDone(bool ok) override {
    if (ok) log_.add({.kind = Kind::list_written});
    const std::lock_guard lock(mutex_);
    writing_ = false;
    lists_.pop_front();
    if (!ok && !end_) end_ = grpc::Status::CANCELLED;
    go_on();
  }

  void OnCancel() override {
    log_.add({.kind = Kind::stream_cancelled});
    end(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    forget_(this);
    auto& log = log_;
    { const std::lock_guard lock(mutex_); }  // The caller of Finish has left go_on().
    delete this;
    log.add({.kind = Kind::stream_closed});
  }

 private:
  void go_on() {
    if (finished_) return;
    if (end_) {
      finished_ = true;
      Finish(*end_);
    } else if (!lists_.empty()) {
      writing_ = true;
      StartWrite(&lists_.front());
    }
  }

  EventLog<PluginEvent>& log_;
  const std::function<void(Stream*)> forget_;
  std::mutex mutex_;
  std::deque<ListAndWatchResponse> lists_;  ///< The first one is being written.
  bool writing_ = false;
  bool finished_ = false;
  std::optional<grpc::Status> end_;
};

class ScriptedPlugin::Service final : public v1beta1::DevicePlugin::WithCallbackMethod_ListAndWatch<
                                          v1beta1::DevicePlugin::Service> {
 public:
  explicit Service(EventLog<PluginEvent>& log) : log_(log) {}

  /// Changes the script.
  template <typename Change>
  void change(Change set) {
    const std::lock_guard lock(mutex_);
    set(*this);
    changed_.notify_all();
  }

  void send(const ListAndWatchResponse& list) {
    const std::lock_guard lock(mutex_);
    current = list;
    for (Stream* stream : streams_) stream->offer(list);
  }

  void end_streams(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    for (Stream* stream : streams_) stream->end(status);
  }

  grpc::ServerWriteReactor<ListAndWatchResponse>* ListAndWatch(
      grpc::CallbackServerContext* /*context*/, const v1beta1::Empty* /*request*/) override {
    const std::lock_guard lock(mutex_);
    auto* stream = new Stream(log_, [this](Stream* done) {
      const std::lock_guard forget_lock(mutex_);
      streams_.erase(done);
    });
    streams_.insert(stream);
    log_.add({.kind = Kind::stream_opened});
    if (current) stream->offer(*current);
    return stream;
  }

  grpc::Status GetDevicePluginOptions(grpc::ServerContext* context,
                                      const v1beta1::Empty* /*request*/,
                                      v1beta1::DevicePluginOptions* response) override {
    const auto authority = context->ExperimentalGetAuthority();
    log_.add({.kind = Kind::options_asked,
              .authority = std::string(authority.data(), authority.size())});
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping || !options_held; });
    *response = options;
    return options_status;
  }

  grpc::Status Allocate(grpc::ServerContext* /*context*/, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* response) override {
    std::vector<std::string> ids;
    for (const auto& container : request->container_requests()) {
      ids.insert(ids.end(), container.devices_ids().begin(), container.devices_ids().end());
    }
    log_.add({.kind = Kind::allocate_called, .ids = ids});
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping || !allocate_held; });
    if (allocate_answer) {
      *response = *allocate_answer;
    } else {
      (*response->add_container_responses()->mutable_envs())["IDS"] = join(ids, ",");
    }
    return allocate_status;
  }

  grpc::Status GetPreferredAllocation(grpc::ServerContext* /*context*/,
                                      const v1beta1::PreferredAllocationRequest* request,
                                      v1beta1::PreferredAllocationResponse* response) override {
    const auto& query = request->container_requests(0);
    const auto& available = query.available_deviceids();
    log_.add({.kind = Kind::preferred_called, .ids = {available.begin(), available.end()}});
    auto& chosen = *response->add_container_responses()->mutable_deviceids();
    chosen = query.must_include_deviceids();
    for (const auto& id : available) {
      if (chosen.size() < query.allocation_size()) *chosen.Add() = id;
    }
    return {};
  }

  grpc::Status PreStartContainer(grpc::ServerContext* /*context*/,
                                 const v1beta1::PreStartContainerRequest* request,
                                 v1beta1::PreStartContainerResponse* /*response*/) override {
    const auto& ids = request->devices_ids();
    log_.add({.kind = Kind::pre_start_called, .ids = {ids.begin(), ids.end()}});
    return {};
  }

  // The script.
  bool stopping = false;
  bool options_held = false;
  bool allocate_held = false;
  v1beta1::DevicePluginOptions options;
  grpc::Status options_status;
  std::optional<ListAndWatchResponse> current;
  std::optional<v1beta1::AllocateResponse> allocate_answer;
  grpc::Status allocate_status;

 private:
  EventLog<PluginEvent>& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Stream*> streams_;
};

ScriptedPlugin::ScriptedPlugin(std::string directory, std::string endpoint)
    : directory_(std::move(directory)),
      endpoint_(std::move(endpoint)),
      service_(std::make_unique<Service>(log_)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + directory_ + "/" + endpoint_,
                           grpc::InsecureServerCredentials());
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (!server_) throw std::runtime_error("cannot serve " + endpoint_);
}

ScriptedPlugin::~ScriptedPlugin() {
  service_->change([](Service& script) { script.stopping = true; });
  server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
  // All calls have ended. ThreadSanitizer does not see how gRPC orders their ends before this
  // thread, but it sees these locks.
  service_->change([](Service& /*script*/) {});
  log_.read([](const auto& /*events*/) {});
}

grpc::Status ScriptedPlugin::register_as(const std::string& resource, const std::string& version,
                                         std::chrono::milliseconds deadline) const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = v1beta1::Registration::NewStub(grpc::CreateCustomChannel(
      "unix:" + directory_ + "/kubelet.sock", grpc::InsecureChannelCredentials(), arguments));
  v1beta1::RegisterRequest request;
  request.set_version(version);
  request.set_endpoint(endpoint_);
  request.set_resource_name(resource);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  v1beta1::Empty answer;
  return stub->Register(&context, request, &answer);
}

void ScriptedPlugin::set_options(const v1beta1::DevicePluginOptions& options,
                                 const grpc::Status& status) {
  service_->change([&](Service& script) {
    script.options = options;
    script.options_status = status;
  });
}

void ScriptedPlugin::block_options(bool hold) {
  service_->change([&](Service& script) { script.options_held = hold; });
}

void ScriptedPlugin::block_allocate(bool hold) {
  service_->change([&](Service& script) { script.allocate_held = hold; });
}

void ScriptedPlugin::set_allocate(v1beta1::AllocateResponse answer, const grpc::Status& status) {
  service_->change([&](Service& script) {
    script.allocate_answer = std::move(answer);
    script.allocate_status = status;
  });
}

void ScriptedPlugin::send(const ListAndWatchResponse& list) { service_->send(list); }

void ScriptedPlugin::send(const std::vector<std::string>& ids) {
  ListAndWatchResponse list;
  for (const std::string& id : ids) {
    auto& device = *list.add_devices();
    device.set_id(id);
    device.set_health("Healthy");
  }
  send(list);
}

void ScriptedPlugin::end_streams(const grpc::Status& status) { service_->end_streams(status); }

size_t ScriptedPlugin::count(Kind kind) const {
  return log_.count([&](const PluginEvent& event) { return event.kind == kind; });
}

bool ScriptedPlugin::wait_for(Kind kind, size_t times) const {
  return log_.wait_until([&](const auto& events) {
    const auto seen =
        std::ranges::count_if(events, [&](const PluginEvent& event) { return event.kind == kind; });
    return static_cast<size_t>(seen) >= times;
  });
}

}  // namespace patchbay::fake
