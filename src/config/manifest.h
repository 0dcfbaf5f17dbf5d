#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/daemon_set.h"
#include "config/diagnostics.h"

/// Finds configurations and DaemonSets of Patchbay in files of Kubernetes manifests, such as the
/// output of `helm template` and `kubectl get -o yaml`.
namespace patchbay::config {

/// Whether the text is Kubernetes manifests, not a configuration. Its first YAML document is then
/// not a configuration. That document is a ConfigMap, a DaemonSet or a list, or others follow it.
[[nodiscard]] bool contains_manifests(std::string_view text);

/// Returns the configurations in a file: the file itself, or those in the ConfigMaps of its
/// manifests. Reports unreadable texts, and manifests without a configuration.
///
/// Each text in a ConfigMap's data that has our apiVersion is a configuration. If there is one, all
/// other texts with keys in *.yaml and *.yml count, too. The daemon would read them from a mounted
/// ConfigMap. Mistakes in a literal block (`|`) are reported at its position in the file. Other
/// texts have line numbers of their own, and names with the ConfigMap and key.
[[nodiscard]] std::vector<std::shared_ptr<const Source>> extract_configurations(
    const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

/// A ConfigMap and the configurations in it.
struct ConfigMap {
  std::string name;
  std::vector<std::shared_ptr<const Source>> configurations;
};

/// The ConfigMaps with configurations, and the DaemonSets of Patchbay.
struct Manifests {
  std::vector<ConfigMap> config_maps;
  std::vector<DaemonSet> daemon_sets;
};

/// Reads manifests. Reports unreadable texts. If there is neither a configuration nor a DaemonSet
/// of Patchbay, it reports that, too.
[[nodiscard]] Manifests read_manifests(const std::shared_ptr<const Source>& manifests,
                                       Diagnostics& diagnostics);

}  // namespace patchbay::config
