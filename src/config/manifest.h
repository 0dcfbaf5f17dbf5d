#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"

/// Kubernetes manifests, as `helm template` and `kubectl get -o yaml` print them: documents, of
/// which ConfigMaps hold configurations.
namespace patchbay::config {

/// Whether the text is manifests, and not a configuration: its first document is of another kind
/// than ours, and it has several documents, a ConfigMap or a list.
[[nodiscard]] bool contains_manifests(std::string_view text);

/// The configurations in a file: itself, unless it holds manifests. Of these, the texts in the data
/// of ConfigMaps that say that they are ours, and what stands beside them under keys that end in
/// .yaml or .yml, since the daemon reads a mounted ConfigMap so. A text that stands there as it is
/// (after `|`) keeps its lines and columns; of any other the name says where it is. Reports what it
/// cannot read, and manifests without a configuration.
[[nodiscard]] std::vector<std::shared_ptr<const Source>> extract_configurations(
    const std::shared_ptr<const Source>& source, Diagnostics& diagnostics);

/// The same of manifests, those of a ConfigMap together: what one daemon reads, as a rule.
[[nodiscard]] std::vector<std::vector<std::shared_ptr<const Source>>> extract_config_maps(
    const std::shared_ptr<const Source>& manifests, Diagnostics& diagnostics);

}  // namespace patchbay::config
