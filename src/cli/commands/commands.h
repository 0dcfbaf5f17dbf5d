#pragma once

#include "cli/options/options.h"

/// The functions that run the commands. Each function returns an ExitCode. It prints results on
/// standard output and errors on standard error.
namespace patchbay::cli {

int run(const RunOptions& options);
int validate(const ValidateOptions& options);
int diff(const DiffOptions& options);
int discover(const DiscoverOptions& options);
int deviceclasses(const ConfigOptions& options);
int allocate(const AllocateOptions& options);
int explain(const ExplainOptions& options);
int suggest(const SuggestOptions& options);
int snapshot(const SnapshotOptions& options);
int test(const TestOptions& options);
int status(const StatusOptions& options);
int events(const EventsOptions& options);
int schema();
int completion(Shell shell);
int version(OutputFormat output);

}  // namespace patchbay::cli
