#include "loop/program_result.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/duration.h"
#include "base/text.h"

namespace patchbay::loop {
namespace {

/// The last line with more than white space. Empty if there is none.
std::string_view last_line(std::string_view output) {
  output = trim_end(output);
  // A carriage return starts the line again on a terminal, as progress bars do.
  const size_t end = output.find_last_of("\n\r");
  if (end != std::string_view::npos) output.remove_prefix(end + 1);
  output.remove_prefix(std::min(output.find_first_not_of(" \t"), output.size()));
  return output;
}

std::string signal_text(int number) {
  const char* meaning = ::sigdescr_np(number);
  if (meaning == nullptr) return fmt::format("ended by signal {}", number);
  return fmt::format("ended by signal {} ({})", number, meaning);
}

}  // namespace

std::string timeout_text(Milliseconds timeout) {
  return "no answer within " + duration_text(timeout);
}

std::string program_fault(const ChildResult& result, Milliseconds timeout) {
  using Kind = ChildResult::Kind;
  switch (result.kind) {
    case Kind::timed_out:
      return timeout_text(timeout);
    case Kind::signalled:
      return signal_text(result.number);
    case Kind::cannot_start:
      return printable(result.reason);
    case Kind::hung:
      return result.reason;
    case Kind::no_thread:
      return kNoThreadText;
    case Kind::exited:
      break;
  }
  if (result.number == 0) return {};
  const std::string_view line = last_line(result.output);
  return line.empty() ? fmt::format("exit code {}", result.number) : printable(line);
}

}  // namespace patchbay::loop
