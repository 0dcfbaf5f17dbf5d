#pragma once

namespace patchbay::cli {

/// The exit codes of the process.
enum ExitCode : int {
  kOk = 0,
  /// The configuration has errors; with --strict, errors or warnings. They are already printed.
  kConfigErrors = 1,
  kDiffers = 1,       ///< `diff`: the configurations differ. `test`: a case failed.
  kNotSuggested = 1,  ///< `suggest`: no rule is proposed; the reason is already printed.
  kFailure = 2,       ///< Unreadable files, a wrong command line, or an error of the host.
  kUnresponsive = 3,  ///< A path of the host is unresponsive, so the output is incomplete.
};

}  // namespace patchbay::cli
