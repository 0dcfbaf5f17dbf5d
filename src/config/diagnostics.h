#pragma once

#include <array>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/words.h"

namespace patchbay::config {

/// One configuration file: its name as the user wrote it, and its whole text.
struct Source {
  std::string name;
  std::string text;
};

/// A position in a Source. Lines and columns are 1-based; columns are bytes. A mistake of the whole
/// file has the position of its first byte.
struct Position {
  std::shared_ptr<const Source> source;  ///< Keeps the text alive for rendering.
  int line = 0;
  int column = 0;
};

/// A value and its position in the source. Later stages report mistakes in the value at this
/// position.
template <typename T>
struct Located {
  T value{};
  Position at;
};

enum class Severity { error, warning, note };

struct Diagnostic {
  Severity severity = Severity::error;
  Position at;
  std::string message;
  std::string hint;  ///< How to correct the mistake; may be empty.
};

/// Collects all mistakes and warnings of a configuration. Reading and compiling continue after a
/// mistake, so that the user gets all mistakes at once. A message that is reported again at the
/// same position, as for a YAML anchor with two aliases, is kept once. One thread.
class Diagnostics {
 public:
  void error(const Position& at, std::string message, std::string hint = {});
  /// Reports a valid rule that most likely does not do what the user wants.
  void warning(const Position& at, std::string message, std::string hint = {});
  /// Reports a valid rule that is wrong only if the cluster uses it in a certain way.
  void note(const Position& at, std::string message, std::string hint = {});
  /// Whether there are no errors. There may be warnings.
  [[nodiscard]] bool ok() const { return error_count_ == 0; }
  [[nodiscard]] size_t error_count() const { return error_count_; }
  /// The number of errors, repeated ones included.
  [[nodiscard]] size_t reported_errors() const { return reported_errors_; }
  [[nodiscard]] std::span<const Diagnostic> all() const { return all_; }

 private:
  void report(Diagnostic diagnostic);

  std::vector<Diagnostic> all_;
  std::set<std::tuple<Severity, const Source*, int, int, std::string>> seen_;
  size_t error_count_ = 0;
  size_t reported_errors_ = 0;
};

/// Detects errors that are reported after its construction. If there are such errors, the value
/// that was read or compiled since then is invalid.
class ErrorCheckpoint {
 public:
  explicit ErrorCheckpoint(const Diagnostics& diagnostics)
      : diagnostics_(diagnostics), before_(diagnostics.reported_errors()) {}
  [[nodiscard]] bool any() const { return diagnostics_.reported_errors() > before_; }

 private:
  const Diagnostics& diagnostics_;
  size_t before_;
};

/// Returns the text of all diagnostics for the user, sorted by file, line and column:
///
///     gpu.yaml:5:5: error: unknown key 'atribute' in match
///         atribute: {}
///         ^
///       hint: did you mean 'attribute'?
///
/// A long source line is shortened to the part around the caret. `color` adds ANSI colours.
[[nodiscard]] std::string render(const Diagnostics& diagnostics, bool color = false);

}  // namespace patchbay::config

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<config::Severity>{"error", "warning",
                                                                          "note"};
}  // namespace patchbay
