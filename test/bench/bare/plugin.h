#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/bare/sources.h"

namespace patchbay::bench {

using MakeSource = std::function<std::unique_ptr<Source>()>;

/// Offers the resource to the kubelet of that directory, until it is killed. It sends its list when
/// the source says that something has come or gone, from the thread that heard it. When a
/// kubelet.sock comes it registers again, since the directory may have been emptied with a socket
/// of its own. Throws where that cannot be.
[[noreturn]] void serve(const std::string& directory, const std::string& resource,
                        MakeSource make_source, Chooser& chooser);

}  // namespace patchbay::bench
