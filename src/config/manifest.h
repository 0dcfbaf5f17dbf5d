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

/// Whether the text is Kubernetes manifests, not a configuration. The first YAML document decides:
/// it must have a `kind`. If there is no other document, the kind must be ConfigMap, DaemonSet or a
/// list.
[[nodiscard]] bool contains_manifests(std::string_view text);

/// Returns the configurations in a file: the file itself, or the configurations in the ConfigMaps
/// of the file. Reports unreadable texts, and manifests without a configuration.
///
/// Each text with our apiVersion in a ConfigMap's data is a configuration. If a ConfigMap has such
/// a text, all its texts with keys *.yaml and *.yml are configurations, too. The daemon would read
/// all of them from a mounted ConfigMap. Mistakes in a literal block (`|`) are reported at their
/// positions in the file. For other texts, the reported line counts from the start of the text, and
/// the reported name has the ConfigMap and the key.
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

/// Reads manifests. Reports unreadable texts. Also reports manifests that have neither a
/// configuration nor a DaemonSet of Patchbay.
[[nodiscard]] Manifests read_manifests(const std::shared_ptr<const Source>& manifests,
                                       Diagnostics& diagnostics);

}  // namespace patchbay::config
