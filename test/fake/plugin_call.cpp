// Makes one call to a plugin, as the kubelet does. Waits until the plugin's socket exists somewhere
// below DIRECTORY, which can be the directory for temporary files of `run --standalone`.
//
//   plugin_call DIRECTORY allocate RESOURCE ID...      prints the answer as JSON
//   plugin_call DIRECTORY prefer RESOURCE COUNT ID...  prints the COUNT preferred units
//   plugin_call DIRECTORY start RESOURCE ID...
//
// If the call fails, prints "STATUS: message" and exits with 1.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/client_context.h>

#include "base/text.h"
#include "fake/kubelet_requests.h"
#include "fake/patience.h"
#include "standin/kubelet_messages.h"
#include "standin/plugin_client.h"

namespace patchbay::fake {
namespace {

using Stub = v1beta1::DevicePlugin::Stub;
using Words = std::vector<std::string>;

/// The path of the resource's socket; plugin::resource_file_name() is in its name.
std::optional<std::string> socket_of(const std::string& resource, const std::string& directory) {
  const std::string mark = "-" + stable_hash_hex(resource, 8) + "-";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           directory, std::filesystem::directory_options::skip_permission_denied)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("patchbay-") && name.contains(mark)) return entry.path();
  }
  return std::nullopt;
}

template <typename Request, typename Response>
grpc::Status call(standin::PluginClient& plugin, standin::PluginRpc<Request, Response> rpc,
                  const Request& request, Response& response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  return plugin.call(rpc, context, request, response);
}

/// The answer, as printed. `words` are the arguments after the resource.
Result<std::string> ask(standin::PluginClient& plugin, const std::string& what,
                        const Words& words) {
  grpc::Status status;
  std::string text;
  if (what == "allocate") {
    v1beta1::AllocateResponse answer;
    status = call(plugin, &Stub::Allocate, allocate_request(words), answer);
    if (status.ok()) text = standin::to_json_text(answer.container_responses(0));
  } else if (what == "prefer") {
    const PreferenceQuery query{.available = {words.begin() + 1, words.end()},
                                .must_include = {},
                                .size = std::stoi(words.at(0))};
    v1beta1::PreferredAllocationResponse answer;
    status = call(plugin, &Stub::GetPreferredAllocation, preference_request(query), answer);
    for (const auto& container : answer.container_responses()) {
      const auto& ids = container.deviceids();
      text = join(Words(ids.begin(), ids.end()), " ");
    }
  } else if (what == "start") {
    v1beta1::PreStartContainerRequest request;
    request.mutable_devices_ids()->Assign(words.begin(), words.end());
    v1beta1::PreStartContainerResponse answer;
    status = call(plugin, &Stub::PreStartContainer, request, answer);
  } else {
    return fail("no such call: " + what);
  }
  if (!status.ok()) return fail(standin::to_text(status));
  return text.empty() ? text : text + "\n";
}

Result<std::string> run(const Words& words) {
  if (words.size() < 4) return fail("usage: plugin_call DIRECTORY CALL RESOURCE WORD...");
  const std::string& resource = words[2];
  std::optional<standin::PluginClient> plugin;
  const bool up = wait_until([&] {
    const auto socket = socket_of(resource, words[0]);
    if (!socket) return false;
    plugin.emplace(standin::PluginAddress{.resource = resource, .endpoint = {}, .path = *socket});
    // Limits the attempt, because a plugin that registers again gets another socket.
    const auto until = standin::PluginClient::Clock::now() + std::chrono::seconds(1);
    return plugin->dial(until, [] { return false; }).has_value();
  });
  if (!up) return fail("no plugin serves " + resource);
  return ask(*plugin, words[1], {words.begin() + 3, words.end()});
}

}  // namespace
}  // namespace patchbay::fake

int main(int count, char** arguments) {
  const auto answer = patchbay::fake::run({arguments + 1, arguments + count});
  std::fputs((answer ? *answer : answer.error().message + "\n").c_str(), stdout);
  return answer ? 0 : 1;
}
