#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/yaml_text.h"
#include "config/yaml_tree.h"

namespace patchbay::config {

/// Builds the tree of one document from the events of a YAML parser, in order. Reports YAML
/// constructs that the configuration language does not allow. If a function returns false, it has
/// reported an error after which parsing must stop, such as an exceeded limit.
class YamlBuilder {
 public:
  /// The parser's number of an anchor, from 1; 0 means no anchor.
  using Anchor = size_t;
  enum class CollectionStyle { block, flow };

  YamlBuilder(std::shared_ptr<const Source> source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(&diagnostics) {}

  [[nodiscard]] bool null(const Location& location, Anchor anchor);
  [[nodiscard]] bool scalar(const Location& location, Anchor anchor, bool plain,
                            const std::string& text);
  [[nodiscard]] bool alias(const Location& location, Anchor anchor);
  [[nodiscard]] bool open(const Location& location, Anchor anchor, YamlNode::Kind kind,
                          CollectionStyle style);
  void close();

  /// The position of the innermost list or mapping in brackets that is still open.
  [[nodiscard]] std::optional<Position> open_bracket(YamlNode::Kind kind) const;
  /// The position of the last quoted text that spans several lines; nullopt if there is none.
  [[nodiscard]] std::optional<Position> last_long_quote() const { return last_long_quote_; }
  /// Moves the tree out; nullopt if the document was empty.
  [[nodiscard]] std::optional<YamlNode> take() { return std::move(root_); }

 private:
  /// A list or mapping that is still open.
  struct OpenNode {
    YamlNode node{};
    size_t offset = 0;
    Anchor anchor = 0;
    CollectionStyle style = CollectionStyle::block;
    std::optional<YamlNode> key{};  ///< In a mapping: the key of the next value.
    size_t key_offset = 0;
  };

  [[nodiscard]] bool expects_key() const;
  [[nodiscard]] bool count_value(const Position& at);
  [[nodiscard]] bool count_aliased(const Position& at, const YamlNode& target);
  [[nodiscard]] bool check_depth(const Position& at, int depth) const;
  void check_tag(const Location& location) const;
  [[nodiscard]] bool check_quote(const Location& location);
  [[nodiscard]] bool lacks_colon(const Location& location) const;
  void report_lacking_colon();
  [[nodiscard]] YamlNode make_null(const Location& location) const;
  void add(YamlNode node, size_t offset, Anchor anchor);
  void add_entry(OpenNode& open_node, YamlNode value);

  std::shared_ptr<const Source> source_;
  Diagnostics* diagnostics_;
  std::vector<OpenNode> open_nodes_;
  std::map<Anchor, YamlNode> anchors_;
  std::set<Anchor> open_anchors_;
  std::optional<Position> last_long_quote_;
  std::optional<YamlNode> root_;
  int nodes_ = 0;
  size_t aliased_bytes_ = 0;
};

}  // namespace patchbay::config
