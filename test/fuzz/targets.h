#pragma once

#include <string_view>

/// What is fuzzed: functions that take any bytes, do with them what the program would, and abort
/// with a reason if something that must hold does not. One thread.
namespace patchbay::fuzz {

/// A file of a configuration, or a manifest with some: read, compiled, and what is said of it.
void examine_config(std::string_view data);

/// Chunks (see pieces.h): a condition as YAML, then the values of a device that are compared.
void examine_condition(std::string_view data);

/// Chunks: a text with $(…), then hostile values for its variables, in every use of a text.
void examine_template(std::string_view data);

/// Chunks: what the host says of devices, through reading, matching and units to what others get of
/// them: lists, answers, CDI specs, device-info files.
void examine_device(std::string_view data);

/// A letter that says which call (a, p, s), then the bytes of its request.
void examine_request(std::string_view data);

/// A letter that says who listens (l: the daemon's socket, n: a port of this machine), then pieces:
/// the bytes that one connection brings, each when what came before was answered.
void examine_http(std::string_view data);

}  // namespace patchbay::fuzz
