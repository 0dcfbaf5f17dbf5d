#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/support/status.h>

#include "proto/podresources_v1.grpc.pb.h"

namespace patchbay::fake {

/// Devices of one resource that are allocated to a container.
struct Held {
  std::string pod_namespace;
  std::string pod;
  std::string container;
  std::string resource;
  std::vector<std::string> devices;
};

/// The kubelet's answer with these allocations: one entry for each device.
[[nodiscard]] v1::ListPodResourcesResponse pod_list(const std::vector<Held>& all);

/// A kubelet's PodResources socket, with the faults that a client may meet. One test thread drives
/// it.
class PodResourcesServer {
 public:
  /// Starts the server and creates the directory of the path.
  explicit PodResourcesServer(std::string path);
  ~PodResourcesServer();

  /// Closes the socket and its connections.
  void stop();
  /// Listens on a new socket at the same path, as when the kubelet starts again.
  void start();

  /// Sets the answer to all later requests.
  void answer(v1::ListPodResourcesResponse list);
  void hold(const std::vector<Held>& all) { answer(pod_list(all)); }
  void refuse(const grpc::Status& status);
  /// Blocks all later requests until a call sets an answer, or until stop().
  void hang();

  /// Number of requests.
  [[nodiscard]] size_t calls() const;
  /// Number of clients that left before the answer.
  [[nodiscard]] size_t given_up() const;

 private:
  class Service;

  std::string path_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace patchbay::fake
