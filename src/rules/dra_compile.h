#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"

/// The rules for resources with `serve: dra`, besides those for their attributes. Any thread.
namespace patchbay::rules {

/// Returns the name of the DRA driver. Null: no file has `dra:`. Empty: it has a mistake, which is
/// reported. Several files can have the same name.
[[nodiscard]] std::optional<std::string> compile_driver(std::span<const config::Spec> specs,
                                                        config::Diagnostics& diagnostics);

/// Returns `dra.releaseTimeout`, or its default. Several files can have the same value.
[[nodiscard]] std::chrono::milliseconds compile_release_timeout(std::span<const config::Spec> specs,
                                                                config::Diagnostics& diagnostics);

/// Reports each key of the resource that is not available with its `serve`. `full_name`: its name
/// with the domain; empty if it has a mistake. `has_driver`: a file has `dra:`.
void check_serve(const config::ResourceSpec& spec, const std::string& full_name, bool has_driver,
                 config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
