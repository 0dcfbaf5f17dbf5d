#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/bare/sources.h"

namespace patchbay::bench {

using MakeSource = std::function<std::unique_ptr<Source>()>;

/// Offers the resource to the kubelet of that directory until the process is killed. When the
/// source reports a change, its thread sends the list. When a kubelet.sock appears, it registers
/// again with a new socket, because the directory may have been emptied. Throws if this fails.
[[noreturn]] void serve(const std::string& directory, const std::string& resource,
                        MakeSource make_source, Chooser& chooser);

}  // namespace patchbay::bench
