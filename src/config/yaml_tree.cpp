#include "config/yaml_tree.h"

#include <array>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text.h"
#include "config/yaml_builder.h"
#include "config/yaml_text.h"

/// The only file that knows yaml-cpp, and the only one where exceptions are caught: its own, and
/// Stop.
namespace patchbay::config {
namespace {

/// Leaves the parser; why has been reported.
struct Stop {};

/// Marks are 0-based bytes.
Place place_of(const std::shared_ptr<const Source>& source, const YAML::Mark& mark) {
  if (mark.is_null()) return {.at = {source, 0, 0}};
  return {.at = {source, mark.line + 1, mark.column + 1}, .offset = static_cast<size_t>(mark.pos)};
}

/// Hands what the parser meets to the builder.
class Handler final : public YAML::EventHandler {
 public:
  Handler(std::shared_ptr<const Source> source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(&diagnostics), builder_(std::move(source), diagnostics) {}

  [[nodiscard]] YamlBuilder& builder() { return builder_; }
  /// Stopped after a document that can be read by itself.
  [[nodiscard]] bool whole() const { return whole_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    const Place place = place_of(source_, mark);
    if (++documents_ > 1) refuse_second(place);
    const size_t directive = directive_before(source_->text, place.offset);
    if (directive == std::string_view::npos) return;
    diagnostics_->error(position_at(source_, directive), "a YAML directive is not allowed",
                        "remove the line");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    proceed(builder_.null(place_of(source_, mark), anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    proceed(builder_.alias(place_of(source_, mark), anchor));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    proceed(builder_.scalar(place_of(source_, mark), anchor, tag == "?", value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, anchor, YamlNode::Kind::sequence, style);
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, anchor, YamlNode::Kind::mapping, style);
  }
  void OnMapEnd() override { builder_.close(); }

 private:
  static void proceed(bool go_on) {
    if (!go_on) throw Stop{};
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind,
            YAML::EmitterStyle::value style) {
    const bool flow = style == YAML::EmitterStyle::Flow;
    proceed(builder_.open(place_of(source_, mark), anchor, kind,
                          flow ? YamlBuilder::Style::flow : YamlBuilder::Style::block));
  }

  /// The parser also begins a second document with whatever it could not place in the first.
  void refuse_second(const Place& place) {
    const std::string_view rest = std::string_view(source_->text).substr(place.offset);
    if (rest.starts_with("---")) {
      diagnostics_->error(place.at, "a second document is not allowed",
                          "put it into a file of its own, in the same directory");
      whole_ = true;
    } else {
      diagnostics_->error(place.at, "unexpected text after the end of the document",
                          "is this line indented as those above it?");
    }
    throw Stop{};
  }

  std::shared_ptr<const Source> source_;
  Diagnostics* diagnostics_;
  YamlBuilder builder_;
  int documents_ = 0;
  bool whole_ = false;
};

/// What yaml-cpp says, and what we say. It adds details to some of its messages.
struct Wording {
  std::string_view theirs;
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view kQuotePattern =
    "put a pattern or text that begins with any of *&[{!|>@%` in quotes";
constexpr std::string_view kQuoteQuestionMark =
    R"(put the whole text in quotes, such as "ttyUSB?")";
constexpr std::string_view kIndent = "is this line indented as those above it?";

const std::array kWordings = {
    Wording{YAML::ErrorMsg::UNKNOWN_ANCHOR, "'*' begins an alias, and no anchor has this name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::ALIAS_NOT_FOUND, "'*' begins an alias, whose name is missing",
            kQuotePattern},
    Wording{YAML::ErrorMsg::CHAR_IN_ALIAS, "'*' begins an alias, and this cannot be in its name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::ANCHOR_NOT_FOUND, "'&' begins an anchor, whose name is missing",
            kQuotePattern},
    Wording{YAML::ErrorMsg::CHAR_IN_ANCHOR, "'&' begins an anchor, and this cannot be in its name",
            kQuotePattern},
    Wording{YAML::ErrorMsg::UNKNOWN_TOKEN, "text cannot begin with this character", kQuotePattern},
    Wording{YAML::ErrorMsg::MAP_VALUE, "unexpected ':'",
            "is this line indented too far, or has the line above no ': ' after its key?"},
    Wording{YAML::ErrorMsg::MAP_KEY, "unexpected key", kIndent},
    Wording{YAML::ErrorMsg::BLOCK_ENTRY, "unexpected '-'",
            "a list begins on a line of its own; a text that begins with '- ' needs quotes"},
    Wording{YAML::ErrorMsg::FLOW_END, "a closing bracket, and none is open",
            "remove it, or put the text in quotes"},
    Wording{YAML::ErrorMsg::END_OF_MAP, "expected a key of the mapping above", kIndent},
    Wording{YAML::ErrorMsg::END_OF_SEQ, "expected '- ' and an item of the list above", kIndent},
    Wording{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with blanks"},
    Wording{YAML::ErrorMsg::INVALID_ESCAPE, "unknown escape in double quotes",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
    Wording{YAML::ErrorMsg::INVALID_HEX, "an escape with a bad hexadecimal number",
            R"(write \\ for a backslash, or use single quotes, which leave it alone)"},
    Wording{YAML::ErrorMsg::INVALID_UNICODE, "an escape that is no Unicode character", ""},
};

/// The wording for a message of yaml-cpp; its own words if we have none.
Wording wording_of(const std::string& theirs) {
  for (const Wording& wording : kWordings) {
    if (theirs.starts_with(wording.theirs)) return wording;
  }
  return {.theirs = theirs, .message = theirs, .hint = {}};
}

/// A bracket that is not closed is noticed anywhere after it: points at the bracket.
bool report_open_bracket(const YAML::Exception& exception, const YamlBuilder& builder,
                         Diagnostics& diagnostics) {
  const bool list = exception.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (!list && exception.msg != YAML::ErrorMsg::END_OF_MAP_FLOW) return false;
  const auto at = builder.open_bracket(list ? YamlNode::Kind::sequence : YamlNode::Kind::mapping);
  if (!at) return false;
  diagnostics.error(
      *at, fmt::format("this '{}' is not closed", list ? '[' : '{'),
      fmt::format("write ',' between its items and '{}' after the last; put text that holds any of "
                  "[]{{}},:? in quotes",
                  list ? ']' : '}'));
  return true;
}

/// Its words depend on what stands there, and before it in the line.
Wording wording_in_line(const std::string& theirs, std::string_view before, bool question_mark) {
  const std::string_view trimmed = trim_end(before);
  const bool after_quote = trimmed.ends_with('"') || trimmed.ends_with('\'');
  if (after_quote &&
      (theirs == YAML::ErrorMsg::END_OF_MAP || theirs == YAML::ErrorMsg::END_OF_SEQ)) {
    return {theirs, "unexpected text after a closing quote",
            R"(a quote inside is written '' in single quotes and \" in double quotes)"};
  }
  if (theirs == YAML::ErrorMsg::MAP_VALUE && before.contains(": ")) {
    return {theirs, "a second ':' in one line", "a text that holds ': ' needs quotes"};
  }
  // Between brackets the parser takes no '?' in a text.
  if (question_mark && theirs == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    return {theirs, "a '?' between brackets needs quotes", kQuoteQuestionMark};
  }
  if (question_mark && theirs == YAML::ErrorMsg::MAP_KEY) {
    return {theirs, "'?' begins a key here", kQuoteQuestionMark};
  }
  return wording_of(theirs);
}

void report_syntax(const YAML::Exception& exception, const std::shared_ptr<const Source>& source,
                   const YamlBuilder& builder, Diagnostics& diagnostics) {
  if (report_open_bracket(exception, builder, diagnostics)) return;
  const Place place = place_of(source, exception.mark);
  const size_t tab = indenting_tab(source->text, place.offset);
  if (place.at.line > 0 && tab != std::string::npos) {
    diagnostics.error(position_at(source, tab), "a tab in the indentation", "indent with blanks");
    return;
  }
  const bool question_mark = std::string_view(source->text).substr(place.offset).starts_with('?');
  const Wording wording =
      wording_in_line(exception.msg, line_before(source->text, place.offset), question_mark);
  std::string hint(wording.hint);
  if (const auto quote = builder.last_long_quote()) {
    hint = fmt::format(
        "the quoted text that begins in line {} runs over several lines: is its "
        "closing quote missing?",
        quote->line);
  }
  diagnostics.error(place.at, std::string(wording.message), std::move(hint));
}

}  // namespace

std::optional<YamlNode> parse_yaml(const std::shared_ptr<const Source>& source,
                                   Diagnostics& diagnostics) {
  if (!check_bytes(source, diagnostics)) return std::nullopt;
  Handler handler(source, diagnostics);
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (const YAML::Exception& exception) {
    report_syntax(exception, source, handler.builder(), diagnostics);
    return std::nullopt;
  } catch (const Stop&) {
    if (!handler.whole()) return std::nullopt;
  }
  auto root = handler.builder().take();
  if (root && root->kind != YamlNode::Kind::null) return root;
  diagnostics.error({source, 0, 0}, "the file holds no configuration",
                    "it begins with apiVersion: patchbay/v1 and kind: Config");
  return std::nullopt;
}

}  // namespace patchbay::config
