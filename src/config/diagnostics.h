#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace patchbay::config {

/// One configuration file: its name as the user knows it, and its whole text.
struct Source {
  std::string name;
  std::string text;
};

/// A place in a Source. 1-based; columns count bytes. Made from YAML marks in yaml_syntax.cpp only.
/// Every mistake has one; what is wrong with a file as a whole is at its beginning.
struct Position {
  std::shared_ptr<const Source> source;  ///< Keeps the text alive for rendering.
  int line = 0;
  int column = 0;
};

/// A value and where it was written, so that a mistake found two stages later still points at it.
template <typename T>
struct Located {
  T value{};
  Position at;
};

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  Position at;
  std::string message;
  std::string hint;  ///< Empty, or how to mend it.
};

/// Collects every problem of a configuration. Reading and compiling report here and carry on; only
/// the caller decides that an error means "keep the old plan". The same thing said twice of one
/// place (an anchor that is used twice) is kept once. One thread.
class Diagnostics {
 public:
  void error(const Position& at, std::string message, std::string hint = {});
  /// The config is accepted; the user most likely did not mean it.
  void warning(const Position& at, std::string message, std::string hint = {});
  /// No errors so far (warnings do not count).
  [[nodiscard]] bool ok() const { return error_count_ == 0; }
  [[nodiscard]] size_t error_count() const { return error_count_; }
  /// With those that were said before.
  [[nodiscard]] size_t reported_errors() const { return reported_errors_; }
  [[nodiscard]] std::span<const Diagnostic> all() const { return all_; }

 private:
  void report(Diagnostic diagnostic);

  std::vector<Diagnostic> all_;
  std::set<std::tuple<Severity, const Source*, int, int, std::string>> seen_;
  size_t error_count_ = 0;
  size_t reported_errors_ = 0;
};

/// Whether errors were reported since this was made: what is compiled meanwhile is then no good.
class ErrorCheckpoint {
 public:
  explicit ErrorCheckpoint(const Diagnostics& diagnostics)
      : diagnostics_(diagnostics), before_(diagnostics.reported_errors()) {}
  [[nodiscard]] bool any() const { return diagnostics_.reported_errors() > before_; }

 private:
  const Diagnostics& diagnostics_;
  size_t before_;
};

/// All diagnostics as people read them, by file, line and column:
///
///     gpu.yaml:5:5: error: unknown key 'atribute' in match
///         atribute: {}
///         ^
///       hint: did you mean 'attribute'?
///
/// A long source line is cut around the caret. With `color`, ANSI colours.
[[nodiscard]] std::string render(const Diagnostics& diagnostics, bool color = false);

}  // namespace patchbay::config
