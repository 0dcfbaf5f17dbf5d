#pragma once

#include <string_view>

/// Fuzz targets. Each takes any bytes, processes them as the program would, and aborts with a
/// reason if an invariant fails. One thread.
namespace patchbay::fuzz {

/// A configuration file or a manifest with some: reads, compiles, and prints its diagnostics.
void examine_config(std::string_view data);

/// Chunks (see pieces.h): a condition as YAML, then the values of a device that are compared.
void examine_condition(std::string_view data);

/// Chunks: a text with $(…), then hostile values for its variables, in every use of a text.
void examine_template(std::string_view data);

/// Chunks: facts of devices, through reading, matching and units to the output: lists, answers, CDI
/// specs, device-info files.
void examine_device(std::string_view data);

/// A machine file: reads it, reads its devices, writes it, and replaces identifiers.
void examine_machine(std::string_view data);

/// A letter for the call (a, p, s), then the bytes of its request.
void examine_request(std::string_view data);

/// A letter for the server (l: the daemon's socket, n: a port of this machine), then chunks: the
/// bytes of one connection. Each is sent after the previous one was answered.
void examine_http(std::string_view data);

}  // namespace patchbay::fuzz
