#pragma once

#include <string>

#include "base/result.h"
#include "cli/standalone/line_command.h"
#include "cli/standalone/list_printer.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

/// The request that a kubelet without Pods would send for a line `prefer`, with all healthy units
/// in the resource's list. The Error is the reason why a kubelet would not send it.
[[nodiscard]] Result<standin::PreferenceQuery> preference_query(const LineCommand& line,
                                                                const std::string& resource,
                                                                const ListPrinter::List& list);

}  // namespace patchbay::cli
