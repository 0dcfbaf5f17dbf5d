#pragma once

namespace patchbay::cli {

/// Reads the command line, runs the command, returns the exit code. Catches what escapes.
int main(int argc, char** argv);

}  // namespace patchbay::cli
