#include "cli/commands/status_fields.h"

#include <chrono>
#include <ctime>
#include <optional>

#include "base/duration.h"

namespace patchbay::cli {
namespace {

std::optional<std::time_t> time_of(const std::string& utc) {
  std::tm parts{};
  const char* const end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&parts);
}

}  // namespace

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

uint64_t number_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

bool flag_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

const Json& field_at(const Json& json, const char* name) {
  static const Json nothing = Json::object();
  const auto found = json.find(name);
  return found != json.end() && found->is_structured() ? *found : nothing;
}

std::string age(const Json& status, const std::string& since) {
  const auto then = time_of(since);
  const auto now = time_of(text_at(status, "at"));
  return then && now ? age_text(std::chrono::seconds(*now - *then)) : "-";
}

}  // namespace patchbay::cli
