#pragma once

namespace patchbay::cli {

/// What the process tells who started it.
enum ExitCode : int {
  kOk = 0,
  /// The configuration has mistakes, or warnings with --strict; all of them have been printed.
  kConfigErrors = 1,
  kDiffers = 1,       ///< Of `diff`: the two mean something else.
  kFailure = 2,       ///< Files could not be read, the command line is wrong, the host refuses.
  kUnresponsive = 3,  ///< Something of the host does not answer: what depends on it is missing.
};

}  // namespace patchbay::cli
