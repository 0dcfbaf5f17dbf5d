#include "config/yaml_tree.h"

#include <algorithm>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/yaml_builder.h"
#include "config/yaml_syntax.h"
#include "config/yaml_text.h"

/// Only this file and yaml_syntax.cpp use yaml-cpp. Only here are exceptions caught: those of
/// yaml-cpp, and Stop.
namespace patchbay::config {
namespace {

/// Leaves the parser after a report.
struct Stop {};

/// Passes the parser's events to the builder.
class YamlEventHandler final : public YAML::EventHandler {
 public:
  YamlEventHandler(std::shared_ptr<const Source> source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(&diagnostics), builder_(std::move(source), diagnostics) {}

  [[nodiscard]] YamlBuilder& builder() { return builder_; }
  /// Whether parsing stopped after a complete document.
  [[nodiscard]] bool first_is_complete() const { return first_is_complete_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    const Location location = location_of(source_, mark);
    if (++documents_ > 1) reject_second_document(location);
    const size_t directive = directive_before(source_->text, location.offset);
    if (directive == std::string_view::npos) return;
    diagnostics_->error(position_at(source_, directive), "a YAML directive is not allowed",
                        "remove the line");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    proceed(builder_.null(location_of(source_, mark), anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    proceed(builder_.alias(location_of(source_, mark), anchor));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    proceed(builder_.scalar(location_of(source_, mark), anchor, tag == "?", value));
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
    proceed(builder_.open(
        location_of(source_, mark), anchor, kind,
        flow ? YamlBuilder::CollectionStyle::flow : YamlBuilder::CollectionStyle::block));
  }

  /// The parser also begins a second document with text that it could not place in the first.
  void reject_second_document(const Location& location) {
    const std::string_view rest = std::string_view(source_->text).substr(location.offset);
    if (rest.starts_with("---")) {
      diagnostics_->error(location.at, "a second document is not allowed",
                          "put it into a separate file in the same directory");
      first_is_complete_ = true;
    } else {
      diagnostics_->error(location.at, "unexpected text after the end of the document",
                          "check that this line is indented as the lines above it");
    }
    throw Stop{};
  }

  std::shared_ptr<const Source> source_;
  Diagnostics* diagnostics_;
  YamlBuilder builder_;
  int documents_ = 0;
  bool first_is_complete_ = false;
};

}  // namespace

const YamlNode* value_of(const YamlNode& node, std::string_view key) {
  const auto key_of = [](const YamlEntry& entry) -> std::string_view { return entry.key.value; };
  const auto found = std::ranges::find(node.entries, key, key_of);
  return found == node.entries.end() ? nullptr : &found->value;
}

std::string text_of(const YamlNode& node, std::string_view key) {
  const YamlNode* const value = value_of(node, key);
  return value == nullptr ? std::string() : value->text;
}

std::optional<YamlNode> parse_yaml(const std::shared_ptr<const Source>& source,
                                   Diagnostics& diagnostics) {
  if (!check_bytes(source, diagnostics)) return std::nullopt;
  YamlEventHandler handler(source, diagnostics);
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (const YAML::Exception& exception) {
    report_syntax(exception, source, handler.builder(), diagnostics);
    return std::nullopt;
  } catch (const Stop&) {
    if (!handler.first_is_complete()) return std::nullopt;
  }
  auto root = handler.builder().take();
  if (root && root->kind != YamlNode::Kind::null) return root;
  diagnostics.error({source, 1, 1}, "the file contains no configuration",
                    "begin it with apiVersion: patchbay/v1 and kind: Config");
  return std::nullopt;
}

}  // namespace patchbay::config
