#pragma once

#include <string>

#include "base/result.h"
#include "cli/line_command.h"
#include "cli/list_printer.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

/// What a kubelet with no Pods would ask for a line `prefer`: of all healthy units of that list of
/// the resource. Else why it could not come to ask that.
[[nodiscard]] Result<standin::PreferenceQuery> preference_query(const LineCommand& line,
                                                                const std::string& resource,
                                                                const ListPrinter::List& list);

}  // namespace patchbay::cli
