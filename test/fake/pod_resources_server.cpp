#include "fake/pod_resources_server.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <grpcpp/server_builder.h>

namespace patchbay::fake {
namespace {

/// Interval between two checks of a blocked call whether its client still waits.
constexpr std::chrono::milliseconds kLookAgain{10};

}  // namespace

v1::ListPodResourcesResponse pod_list(const std::vector<Held>& all) {
  v1::ListPodResourcesResponse list;
  for (const Held& held : all) {
    auto& pod = *list.add_pod_resources();
    pod.set_name(held.pod);
    pod.set_namespace_(held.pod_namespace);
    auto& container = *pod.add_containers();
    container.set_name(held.container);
    for (const std::string& id : held.devices) {
      auto& device = *container.add_devices();
      device.set_resource_name(held.resource);
      device.add_device_ids(id);
    }
  }
  return list;
}

class PodResourcesServer::Service final : public v1::PodResourcesLister::Service {
 public:
  grpc::Status List(grpc::ServerContext* context, const v1::ListPodResourcesRequest* /*request*/,
                    v1::ListPodResourcesResponse* response) override {
    std::unique_lock lock(mutex_);
    ++calls_;
    while (hangs_ && !context->IsCancelled()) changed_.wait_for(lock, kLookAgain);
    if (context->IsCancelled()) {
      ++given_up_;
      return grpc::Status::CANCELLED;
    }
    *response = list_;
    return status_;
  }

  void set(v1::ListPodResourcesResponse list, const grpc::Status& status, bool hangs) {
    const std::lock_guard lock(mutex_);
    list_ = std::move(list);
    status_ = status;
    hangs_ = hangs;
    changed_.notify_all();
  }

  size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  size_t given_up() const {
    const std::lock_guard lock(mutex_);
    return given_up_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  v1::ListPodResourcesResponse list_;
  grpc::Status status_;
  bool hangs_ = false;
  size_t calls_ = 0;
  size_t given_up_ = 0;
};

PodResourcesServer::PodResourcesServer(std::string path)
    : path_(std::move(path)), service_(std::make_unique<Service>()) {
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
  start();
}

PodResourcesServer::~PodResourcesServer() { stop(); }

void PodResourcesServer::start() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + path_, grpc::InsecureServerCredentials());
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (!server_) throw std::runtime_error("cannot listen at " + path_);
}

void PodResourcesServer::stop() {
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
}

void PodResourcesServer::answer(v1::ListPodResourcesResponse list) {
  service_->set(std::move(list), grpc::Status::OK, false);
}

void PodResourcesServer::refuse(const grpc::Status& status) { service_->set({}, status, false); }

void PodResourcesServer::hang() { service_->set({}, grpc::Status::OK, true); }

size_t PodResourcesServer::calls() const { return service_->calls(); }

size_t PodResourcesServer::given_up() const { return service_->given_up(); }

}  // namespace patchbay::fake
