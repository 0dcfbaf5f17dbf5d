#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/support/status.h>

#include "proto/podresources_v1.grpc.pb.h"

namespace patchbay::fake {

/// Devices of a resource that a container has.
struct Held {
  std::string pod_namespace;
  std::string pod;
  std::string container;
  std::string resource;
  std::vector<std::string> devices;
};

/// As the kubelet answers: an entry for each device.
[[nodiscard]] v1::ListPodResourcesResponse pod_list(const std::vector<Held>& all);

/// A kubelet's PodResources socket, and all that it may do to who asks. One test thread drives it.
class PodResourcesServer {
 public:
  /// Starts; the directory of the path is made.
  explicit PodResourcesServer(std::string path);
  ~PodResourcesServer();

  /// The socket goes, and with it the connections.
  void stop();
  /// A new socket at the same path, as when the kubelet starts again.
  void start();

  /// What it answers from now on.
  void answer(v1::ListPodResourcesResponse list);
  void hold(const std::vector<Held>& all) { answer(pod_list(all)); }
  void refuse(const grpc::Status& status);
  /// It does not answer, until it does anything else, or stops.
  void hang();

  /// So often it was asked.
  [[nodiscard]] size_t calls() const;
  /// So many who asked have gone before they were answered.
  [[nodiscard]] size_t given_up() const;

 private:
  class Service;

  std::string path_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace patchbay::fake
