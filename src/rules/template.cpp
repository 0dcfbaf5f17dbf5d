#include "rules/template.h"

#include <utility>

#include <fmt/format.h>

namespace patchbay::rules {

template <typename Visit>
void Template::for_each_variable(const std::vector<Piece>& pieces, const Visit& visit) {
  for (const Piece& piece : pieces) {
    if (piece.variable) visit(*piece.variable);
    for_each_variable(piece.fallback, visit);
  }
}

Result<void> Template::append(const std::vector<Piece>& pieces, const RenderScope& scope,
                              std::string& out) const {
  for (const Piece& piece : pieces) {
    if (!piece.variable) {
      out += piece.literal;
      continue;
    }
    auto value = value_of(*piece.variable, scope);
    if (value) {
      auto safe = safe_value(*piece.variable, std::move(*value), use_);
      if (!safe) return std::unexpected(std::move(safe).error());
      out += *safe;
    } else if (piece.has_fallback) {
      if (auto appended = append(piece.fallback, scope, out); !appended) return appended;
    } else {
      const bool node = piece.variable->variable == Variable::node;
      return fail(fmt::format("needs {}, which {}", piece.variable->to_text(),
                              node ? "is not known" : "the device does not have"));
    }
  }
  return {};
}

Result<std::string> Template::render(const RenderScope& scope) const {
  std::string out;
  const Result<void> appended = append(pieces_, scope, out);
  auto text = appended ? finished(std::move(out), use_)
                       : Result<std::string>(std::unexpected(appended.error()));
  if (!text) return fail(fmt::format("'{}' {}", text_, text.error().message));
  return text;
}

bool Template::per_unit() const {
  bool found = false;
  for_each_variable(pieces_, [&](const VariableRef& ref) {
    found = found || (ref.variable != Variable::resource && ref.variable != Variable::node);
  });
  return found;
}

bool Template::is_only(Variable variable) const {
  return pieces_.size() == 1 && pieces_.front().variable &&
         pieces_.front().variable->variable == variable &&
         pieces_.front().variable->above.empty() && !pieces_.front().has_fallback;
}

void Template::want(WantedFacts& wanted_of_device) const {
  for_each_variable(pieces_, [&](const VariableRef& ref) {
    auto& above = wanted_of_device.above;
    if (!ref.above.empty() && above.empty()) above.emplace_back();
    WantedFacts& wanted = ref.above.empty() ? wanted_of_device : above.front();
    if (ref.variable == Variable::attribute) wanted.attributes.push_back(ref.argument);
    if (ref.variable == Variable::property) wanted.properties.push_back(ref.argument);
    if (ref.variable == Variable::usb) wanted.usb.push_back(ref.argument);
    if (ref.variable == Variable::pci) wanted.pci.push_back(ref.argument);
    wanted.numa_node = wanted.numa_node || ref.variable == Variable::numa_node;
    wanted.iommu_group = wanted.iommu_group || ref.variable == Variable::iommu_group;
    if (ref.variable == Variable::link) wanted.links = true;
    if (ref.variable == Variable::driver) wanted.driver = true;
  });
}

}  // namespace patchbay::rules
