#include "config/diagnostics.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "config/snippet.h"

namespace patchbay::config {
namespace {

constexpr size_t kMaxMessage = 2000;

std::string_view name_of(const Position& at) {
  return at.source == nullptr ? std::string_view{} : std::string_view(at.source->name);
}

auto sort_key(const Diagnostic& diagnostic) {
  const Position& at = diagnostic.at;
  return std::tuple(name_of(at), at.line, at.column);
}

/// Finds lines of sources. Cheap when asked in order.
class LineFinder {
 public:
  /// Without its line end; empty if there is no such line.
  std::string_view line(const Position& at) {
    if (at.source.get() != source_ || at.line < line_) {
      source_ = at.source.get();
      rest_ = source_->text;
      line_ = 1;
    }
    for (; line_ < at.line && !rest_.empty(); ++line_) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
    }
    if (line_ != at.line) return {};
    std::string_view found = rest_.substr(0, rest_.find('\n'));
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
  }

 private:
  const Source* source_ = nullptr;
  std::string_view rest_;
  int line_ = 1;
};

/// ANSI escapes, or nothing.
struct Palette {
  std::array<std::string_view, 3> severity{};
  std::string_view bold, caret, hint, reset;
};

constexpr Palette kPlain{};
constexpr Palette kColors{
    {"\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m"}, "\x1b[1m", "\x1b[1;32m", "\x1b[36m", "\x1b[0m"};

std::string location(const Position& at) {
  if (at.source == nullptr) return {};
  std::string text = printable(at.source->name, kMaxMessage);
  if (at.line > 0) text += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) text += fmt::format(":{}", at.column);
  return text + ": ";
}

void render_one(const Diagnostic& diagnostic, const Palette& colors, LineFinder& finder,
                std::string& out) {
  const Position& at = diagnostic.at;
  out += fmt::format("{}{}{}{}{}{}: {}\n", colors.bold, location(at), colors.reset,
                     colors.severity[static_cast<size_t>(diagnostic.severity)],
                     word_of(diagnostic.severity), colors.reset,
                     printable(diagnostic.message, kMaxMessage));
  if (at.source != nullptr && at.line > 0) {
    const Snippet snippet = make_snippet(finder.line(at), at.column);
    if (!snippet.text.empty()) out += fmt::format("    {}\n", snippet.text);
    if (!snippet.text.empty() && at.column > 0) {
      out += fmt::format("    {:{}}{}^{}\n", "", snippet.caret, colors.caret, colors.reset);
    }
  }
  if (!diagnostic.hint.empty()) {
    out += fmt::format("  {}hint:{} {}\n", colors.hint, colors.reset,
                       printable(diagnostic.hint, kMaxMessage));
  }
}

}  // namespace

void Diagnostics::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++reported_errors_;
  const Position& at = diagnostic.at;
  if (!seen_.emplace(diagnostic.severity, at.source.get(), at.line, at.column, diagnostic.message)
           .second) {
    return;
  }
  if (diagnostic.severity == Severity::error) ++error_count_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(const Position& at, std::string message, std::string hint) {
  report({Severity::error, at, std::move(message), std::move(hint)});
}

void Diagnostics::warning(const Position& at, std::string message, std::string hint) {
  report({Severity::warning, at, std::move(message), std::move(hint)});
}

void Diagnostics::note(const Position& at, std::string message, std::string hint) {
  report({Severity::note, at, std::move(message), std::move(hint)});
}

std::string render(const Diagnostics& diagnostics, bool color) {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : diagnostics.all()) sorted.push_back(&diagnostic);
  std::ranges::stable_sort(sorted, [](auto* a, auto* b) { return sort_key(*a) < sort_key(*b); });
  std::string out;
  LineFinder finder;
  for (const Diagnostic* diagnostic : sorted) {
    render_one(*diagnostic, color ? kColors : kPlain, finder, out);
  }
  return out;
}

}  // namespace patchbay::config
