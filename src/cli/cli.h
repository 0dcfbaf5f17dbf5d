#pragma once

namespace patchbay::cli {

/// Reads the command line, runs the command and returns the exit code. Catches all exceptions.
int main(int argc, char** argv);

}  // namespace patchbay::cli
