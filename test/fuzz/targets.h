#pragma once

#include <string_view>

/// Fuzz targets. Each takes any bytes, processes them as the program would, and aborts with a
/// reason if an invariant fails. For one thread.
namespace patchbay::fuzz {

/// Takes a configuration file, or a manifest that contains some. Reads and compiles it, and prints
/// its diagnostics.
void examine_config(std::string_view data);

/// Takes chunks (see pieces.h): a condition as YAML, then the values of a device to compare.
void examine_condition(std::string_view data);

/// Takes chunks: a text with $(…), then hostile values for its variables. Renders it in every use
/// of a text.
void examine_template(std::string_view data);

/// Takes chunks: facts of devices. Reads and matches them, makes units, and checks lists, answers,
/// CDI specs and device-info files.
void examine_device(std::string_view data);

/// Takes a machine file. Reads it and its devices, writes it, and replaces identifiers.
void examine_machine(std::string_view data);

/// Takes a letter for the call (a: Allocate, p: GetPreferredAllocation, s: PreStartContainer), then
/// the bytes of its request.
void examine_request(std::string_view data);

/// Takes a letter for the server (l: the daemon's socket, n: a port of this machine), then chunks:
/// the bytes of one connection. Sends each chunk after the previous one was answered.
void examine_http(std::string_view data);

}  // namespace patchbay::fuzz
