#include "kube/options.h"

#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::kube {
namespace {

constexpr std::string_view kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

/// The address that Kubernetes gives each container; "" outside a Pod.
std::string url_of_pod() {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) return "";
  const char* form = std::string_view(host).contains(':') ? "https://[{}]:{}" : "https://{}:{}";
  return fmt::format(fmt::runtime(form), host, port);
}

}  // namespace

Result<AgentOptions> parse_options(std::span<const char* const> arguments) {
  AgentOptions options;
  options.server = {.url = url_of_pod(),
                    .ca_file = std::string(kAccount) + "ca.crt",
                    .token_file = std::string(kAccount) + "token"};
  const std::map<std::string_view, std::string*> values = {
      {"--driver", &options.pool.driver},
      {"--node", &options.pool.node},
      {"--api-server", &options.server.url},
      {"--api-ca", &options.server.ca_file},
      {"--api-token-file", &options.server.token_file},
  };
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const auto value = values.find(arguments[i]);
    if (value == values.end()) return fail("unknown argument " + printable(arguments[i]));
    if (i + 1 == arguments.size()) return fail(std::string(arguments[i]) + ": value missing");
    *value->second = arguments[i + 1];
  }
  if (!is_object_name(options.pool.driver)) return fail("--driver: not a DNS name");
  if (!is_object_name(options.pool.node)) return fail("--node: not the name of a Node");
  if (!options.server.url.starts_with("https://")) {
    return fail("API server: address not known; use --api-server https://HOST:PORT");
  }
  return options;
}

}  // namespace patchbay::kube
