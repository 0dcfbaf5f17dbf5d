#include "cli/cli.h"

int main(int argc, char** argv) { return patchbay::cli::main(argc, argv); }
