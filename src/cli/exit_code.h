#pragma once

namespace patchbay::cli {

/// What the process tells who started it.
enum ExitCode : int {
  kOk = 0,
  kConfigErrors = 1,  ///< The configuration has mistakes; all of them have been printed.
  kUnable = 2,        ///< Files could not be read, the command line is wrong, the host refuses.
};

}  // namespace patchbay::cli
