#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "fake/facts.h"
#include "fuzz/must.h"
#include "fuzz/pieces.h"
#include "fuzz/targets.h"
#include "model/facts.h"
#include "rules/text/template.h"
#include "rules/text/text_use.h"

namespace patchbay::fuzz {
namespace {

using rules::TextUse;

constexpr std::array kUses = {
    TextUse::id,       TextUse::path,     TextUse::env_name, TextUse::annotation_name,
    TextUse::value,    TextUse::key,      TextUse::argument, TextUse::address,
    TextUse::cdi_name, TextUse::quantity, TextUse::pattern,  TextUse::regex,
    TextUse::comparand};

bool only_of(std::string_view text, std::string_view punctuation) {
  return std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || punctuation.find(c) != std::string_view::npos;
  });
}

/// Checks a rendered path by other code than the program's.
void check_rendered_path(std::string_view path) {
  must(path.size() > 1 && path.front() == '/' && path.back() != '/', "an absolute path", path);
  must_be_plain(path, "a path is plain text");
  for (const std::string_view component : split(path.substr(1), '/')) {
    must(!component.empty() && component != "." && component != "..",
         "a path without '.', '..' and '//'", path);
  }
}

void check_rendered(std::string_view written, const std::string& text, TextUse use) {
  const bool plain = is_utf8(written) && !has_control_character(written);
  if (plain) must_be_plain(text, "no value brings what is not plain text");
  switch (use) {
    case TextUse::id:
      must(!text.empty() && text.size() <= rules::kMaxIdLength && only_of(text, "._:-"),
           "the id of a unit", text);
      break;
    case TextUse::path:
      check_rendered_path(text);
      break;
    case TextUse::env_name:
      must(!text.empty() && !is_digit(text.front()) && only_of(text, "_"), "a variable's name",
           text);
      break;
    case TextUse::annotation_name:
      must(!text.empty() && only_of(text, "._-/"), "an annotation's name", text);
      must(std::ranges::count(text, '/') <= std::ranges::count(written, '/'),
           "no value brings a slash", text);
      break;
    case TextUse::argument:
      must(text.find('\0') == std::string::npos, "an argument without NUL", text);
      must(!text.starts_with('-') || !written.starts_with("$(") ||
               written.find(":-") != std::string_view::npos,
           "no device says an option", text);
      break;
    case TextUse::value:
      must(text.find('\0') == std::string::npos, "a value without NUL", text);
      break;
    case TextUse::address:
      must(rules::parse_address(text).has_value(), "an address", text);
      break;
    case TextUse::cdi_name:
      must(!rules::cdi_name_fault(text), "a name of CDI", text);
      break;
    default:
      must(!text.empty(), "a text", text);
  }
}

/// A device with hostile values for everything that a device defines.
class HostileDevice {
 public:
  explicit HostileDevice(const std::vector<std::string_view>& pieces) {
    const auto piece = [&](size_t i) { return std::string(i < pieces.size() ? pieces[i] : ""); };
    facts_.key = "/sys/devices/x/ttyUSB0";
    facts_.name = piece(1);
    facts_.subsystem = "tty";
    facts_.devnode = piece(2);
    facts_.known = FactValues{{Fact::property, "SERIAL", piece(1)},
                              {Fact::attribute, "port_number", piece(2)},
                              {Fact::usb, "serial", piece(3)},
                              {Fact::link, "", piece(2)},
                              {Fact::driver, "", piece(4)}};
    captures_ = {{"n", piece(3)}};
    DeviceFacts above = facts_;
    above.subsystem = "usb";
    above.name = piece(4);
    facts_.ancestors = {above};
    members_ = {{"sound", {&facts_, &captures_, facts_.key}}};
  }

  [[nodiscard]] rules::RenderScope scope() const {
    return {.device = {&facts_, &captures_, "/sys/class/tty/ttyUSB0"},
            .members = members_,
            .by = facts_.name,
            .id = "LAB42",
            .resource = "example.com/uart",
            .node = "bench-1",
            .unit = 1,
            .slot = 3,
            .share = 7,
            .shares = 2};
  }

 private:
  DeviceFacts facts_;
  rules::Captures captures_;
  std::vector<rules::MemberScope> members_;
};

rules::TemplateRules all_variables() {
  const rules::EntityRules entity{RuleKind::subsystem, std::vector<std::string>{"n"}};
  rules::TemplateRules rules{.entity = entity, .grouped = true, .shared = true};
  rules.members = {{"sound", entity}};
  return rules;
}

}  // namespace

void examine_template(std::string_view data) {
  const auto pieces = pieces_of(data);
  const std::string written(pieces.front());
  // Skips texts that the YAML reader rejects.
  if (!is_utf8(written) || written.empty()) return;
  const HostileDevice device(pieces);
  const rules::TemplateRules rules = all_variables();
  for (const TextUse use : kUses) {
    config::Diagnostics diagnostics;
    const auto made = rules::Template::compile({written, {}}, use, rules, diagnostics);
    must(made.has_value() || !diagnostics.ok(), "a template, or a mistake that says why not");
    if (!made) continue;
    must(made->text() == written, "a template says what was written");
    must(made->may_equal(*made), "a template may give what it gives");
    WantedFacts wanted;
    made->want(wanted);
    (void)made->with("x");
    (void)made->before_variables("x");
    const auto rendered = made->render(device.scope());
    if (rendered) {
      check_rendered(written, *rendered, use);
    } else if (is_utf8(written) && !has_control_character(written)) {
      must_be_plain(rendered.error().message, "a reason is plain text");
    }
  }
}

}  // namespace patchbay::fuzz
