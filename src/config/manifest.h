#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/daemon_set.h"
#include "config/diagnostics.h"

/// Reads Kubernetes manifests, such as the output of `helm template` and `kubectl get -o yaml`:
/// documents, some of them ConfigMaps with configurations.
namespace patchbay::config {

/// Whether the text is manifests and not a configuration. Its first document is not a
/// configuration, and it has several documents, a ConfigMap, a DaemonSet or a list.
[[nodiscard]] bool contains_manifests(std::string_view text);

/// The configurations in a file: the file itself, or those in the ConfigMaps of its manifests.
///
/// A text in a ConfigMap's data is a configuration if it has our apiVersion. The other texts of
/// that ConfigMap are, too, if their keys end in .yaml or .yml, because the daemon reads a mounted
/// ConfigMap so. A text in a literal block (`|`) keeps its lines and columns; the name of any other
/// text has its location. Unreadable texts, and manifests without a configuration, are reported.
[[nodiscard]] std::vector<std::shared_ptr<const Source>> extract_configurations(
    const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

/// The configurations of one ConfigMap: one daemon usually reads one ConfigMap.
struct ConfigMap {
  std::string name;
  std::vector<std::shared_ptr<const Source>> configurations;
};

/// The ConfigMaps with configurations, and the DaemonSets of Patchbay.
struct Manifests {
  std::vector<ConfigMap> config_maps;
  std::vector<DaemonSet> daemon_sets;
};

/// The content of manifests. Reports unreadable texts, and that there is neither.
[[nodiscard]] Manifests read_manifests(const std::shared_ptr<const Source>& manifests,
                                       Diagnostics& diagnostics);

}  // namespace patchbay::config
