#include "config/manifest.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml_tree.h"

namespace patchbay::config {
namespace {

using SourcePtr = std::shared_ptr<const Source>;
using Sources = std::vector<SourcePtr>;

/// One document of a stream.
struct Document {
  std::string_view text;
  size_t lines_before = 0;
};

/// The fields that identify the kind of a document.
struct DocumentHeader {
  std::string api_version;
  std::string kind;
};

using TextLines = std::vector<std::string_view>;

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_empty_line(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A document marker or directive, which has no such meaning when it is indented.
bool is_marker(std::string_view line) {
  return line.starts_with("---") || line.starts_with("...") || line.starts_with('%');
}

/// The lines of the text without the empty lines at its end.
TextLines lines_of(const std::string& text) {
  TextLines lines = split(text, '\n');
  while (!lines.empty() && is_empty_line(lines.back())) lines.pop_back();
  return lines;
}

/// The indentation of the outer file's line relative to the line of the text; nullopt if they
/// differ.
std::optional<size_t> indentation(std::string_view outer, std::string_view line) {
  outer = without_return(outer);
  if (!outer.ends_with(line)) return std::nullopt;
  const std::string_view before = outer.substr(0, outer.size() - line.size());
  if (before.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return before.size();
}

/// The text as written in the outer file after its first `from` lines; nullopt if it differs.
std::optional<std::string> aligned_text(std::string_view outer, size_t from,
                                        const TextLines& lines) {
  const TextLines outer_lines = split(outer, '\n');
  if (lines.empty() || from + lines.size() > outer_lines.size()) return std::nullopt;
  std::string text(from, '\n');
  std::optional<size_t> indent;
  bool begun = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = without_return(lines[i]);
    const bool mark =
        !begun && trim_end(line) == "---";  // It can begin the text, and has no meaning.
    begun = begun || !is_empty_line(line);
    const std::string_view written = outer_lines[from + i];
    text += std::string(mark ? std::string_view{} : written) + '\n';
    if (mark || (is_empty_line(line) && is_empty_line(written))) continue;
    const auto found = indentation(written, line);
    if (is_marker(line) || !found || (indent && indent != found)) return std::nullopt;
    indent = found;
  }
  return text;
}

/// Returns a configuration that is embedded as a text in another YAML file, as a separate Source.
/// The text of a literal block (`|`) keeps its lines, its columns and the name of the file. For
/// that the other lines become empty lines. Any other text has its own line numbers, and `name` is
/// its name.
std::shared_ptr<const Source> embedded_source(const std::shared_ptr<const Source>& outer,
                                              const YamlNode& text, const std::string& name) {
  const auto from = static_cast<size_t>(std::max(text.at.line, 0));
  if (auto aligned = aligned_text(outer->text, from, lines_of(text.text))) {
    return std::make_shared<const Source>(Source{outer->name, *std::move(aligned)});
  }
  return std::make_shared<const Source>(Source{name, text.text});
}

bool begins_document(std::string_view line) {
  return line == "---" || line.starts_with("--- ") || line.starts_with("---\t") ||
         line.starts_with("---\r");
}

/// Whether the line is empty, a comment, or the mark that begins a document.
bool has_no_content(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#' || trim_end(line) == "---";
}

std::vector<Document> documents_of(std::string_view text) {
  std::vector<Document> documents;
  size_t begin = 0;
  size_t begin_line = 0;
  size_t number = 0;
  const auto end_at = [&](size_t end) {
    const Document document{text.substr(begin, end - begin), begin_line};
    if (!std::ranges::all_of(split(document.text, '\n'), has_no_content)) {
      documents.push_back(document);
    }
    begin = end;
    begin_line = number;
  };
  for (const std::string_view line : split(text, '\n')) {
    if (begins_document(line)) end_at(static_cast<size_t>(line.data() - text.data()));
    ++number;
  }
  end_at(text.size());
  return documents;
}

/// The document at its position in the stream: empty lines replace the text before it.
SourcePtr source_of(const Source& stream, const Document& document) {
  return std::make_shared<const Source>(
      Source{stream.name, std::string(document.lines_before, '\n') + std::string(document.text)});
}

/// The value in a line `key: value`; empty for other lines.
std::string_view value_in(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) return {};
  std::string_view value = line.substr(key.size() + 1);
  value = trim_end(value.substr(0, value.find(" #")));
  value.remove_prefix(std::min(value.find_first_not_of(" \t\"'"), value.size()));
  return value.substr(0, value.find_first_of("\"'"));
}

/// Reads the header line by line, so that a document with mistakes has one, too. JSON is parsed.
DocumentHeader header_of(std::string_view text) {
  DocumentHeader header;
  for (const std::string_view line : split(text, '\n')) {
    if (has_no_content(line)) continue;
    if (line.starts_with('{')) {
      Diagnostics ignored;
      const auto source = std::make_shared<const Source>(Source{{}, std::string(text)});
      const auto root = parse_yaml(source, ignored);
      return root ? DocumentHeader{text_of(*root, "apiVersion"), text_of(*root, "kind")} : header;
    }
    if (header.api_version.empty()) header.api_version = value_in(line, "apiVersion");
    if (header.kind.empty()) header.kind = value_in(line, "kind");
  }
  return header;
}

bool is_ours(const DocumentHeader& header) { return header.api_version.starts_with("patchbay"); }

bool is_used(const DocumentHeader& header) {
  constexpr std::array<std::string_view, 4> kKinds = {"ConfigMap", "ConfigMapList", "DaemonSet",
                                                      "List"};
  return std::ranges::find(kKinds, header.kind) != kKinds.end();
}

bool is_yaml_key(std::string_view key) { return key.ends_with(".yaml") || key.ends_with(".yml"); }

/// Collects the configurations and DaemonSets of one stream.
class Collector {
 public:
  Collector(SourcePtr stream, Diagnostics& diagnostics)
      : stream_(std::move(stream)), diagnostics_(diagnostics) {}

  void read(const Document& document) {
    const DocumentHeader header = header_of(document.text);
    if (is_ours(header)) {
      diagnostics_.error({stream_, static_cast<int>(document.lines_before) + 1, 1},
                         "a configuration cannot be a document among Kubernetes manifests",
                         "put it under a key of a ConfigMap's data, or into a separate file");
    }
    if (!is_used(header)) return;
    const SourcePtr source = source_of(*stream_, document);
    Diagnostics found;
    const auto root = parse_yaml(source, found);
    // Mistakes in ConfigMaps of other programs are ignored.
    if (document.text.contains("patchbay/v")) report(found);
    if (root && found.ok()) visit(source, *root);
  }

  Manifests take() { return std::move(found_); }

 private:
  void report(const Diagnostics& found) {
    for (const Diagnostic& diagnostic : found.all()) {
      if (diagnostic.severity != Severity::error) continue;
      diagnostics_.error(diagnostic.at, diagnostic.message, diagnostic.hint);
    }
  }

  void visit(const SourcePtr& source, const YamlNode& node) {
    const std::string kind = text_of(node, "kind");
    if (kind == "ConfigMap") return read_config_map(source, node);
    if (kind == "DaemonSet") {
      if (auto daemons = read_daemon_set(node)) found_.daemon_sets.push_back(*std::move(daemons));
      return;
    }
    const YamlNode* items = value_of(node, "items");
    if (!kind.ends_with("List") || items == nullptr) return;
    for (const YamlNode& item : items->items) {
      // The items of a ConfigMapList have no kind.
      if (kind == "ConfigMapList") {
        read_config_map(source, item);
      } else {
        visit(source, item);
      }
    }
  }

  void read_config_map(const SourcePtr& source, const YamlNode& map) {
    const YamlNode* data = value_of(map, "data");
    if (data == nullptr) return;
    const auto ours = [](const YamlEntry& entry) { return is_ours(header_of(entry.value.text)); };
    if (std::ranges::none_of(data->entries, ours)) return;
    const YamlNode* metadata = value_of(map, "metadata");
    const std::string name = metadata == nullptr ? "" : text_of(*metadata, "name");
    Sources& sources = found_.config_maps.emplace_back(name).configurations;
    for (const YamlEntry& entry : data->entries) {
      const std::string& key = entry.key.value;
      if (!is_yaml_key(key) && !ours(entry)) continue;
      if (!is_yaml_key(key)) {
        diagnostics_.warning(
            entry.key.at, fmt::format("the key '{}' does not end in .yaml or .yml", printable(key)),
            "Patchbay reads only files with these endings from a mounted ConfigMap; rename the "
            "key");
      }
      const std::string source_name = fmt::format("{} (ConfigMap {}, {})", source->name, name, key);
      sources.push_back(embedded_source(source, entry.value, source_name));
    }
  }

  SourcePtr stream_;
  Diagnostics& diagnostics_;
  Manifests found_;
};

}  // namespace

bool contains_manifests(std::string_view text) {
  const auto documents = documents_of(text);
  if (documents.empty()) return false;
  const DocumentHeader first = header_of(documents.front().text);
  if (first.kind.empty() || first.kind == "Config" || is_ours(first)) return false;
  return documents.size() > 1 || is_used(first);
}

Sources extract_configurations(const SourcePtr& source, Diagnostics& diagnostics) {
  if (!contains_manifests(source->text)) return {source};
  Sources sources;
  for (ConfigMap& map : read_manifests(source, diagnostics).config_maps) {
    std::ranges::move(map.configurations, std::back_inserter(sources));
  }
  return sources;
}

Manifests read_manifests(const SourcePtr& manifests, Diagnostics& diagnostics) {
  const size_t before = diagnostics.error_count();
  Collector collector(manifests, diagnostics);
  for (const Document& document : documents_of(manifests->text)) collector.read(document);
  Manifests found = collector.take();
  if (found.config_maps.empty() && found.daemon_sets.empty() &&
      diagnostics.error_count() == before) {
    diagnostics.error({manifests, 1, 1},
                      "no ConfigMap in these Kubernetes manifests contains a configuration",
                      "write it under a key of 'data' that ends in .yaml, as text that begins with "
                      "apiVersion: patchbay/v1");
  }
  return found;
}

}  // namespace patchbay::config
