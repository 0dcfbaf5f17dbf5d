#include "dra/device_class.h"

#include <string_view>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "config/yaml_writer.h"
#include "dra/device_name.h"

namespace patchbay::dra {
namespace {

/// Kubernetes' manifests usually have one key in a line.
std::string yaml_of(const Json& json) {
  return config::write_yaml(config::yaml_tree(json), {.flow = false});
}

std::string as_comment(const std::string& text) {
  std::string out;
  for (const std::string_view line : split(trim_end(text), '\n')) {
    out += fmt::format("# {}\n", line);
  }
  return out;
}

std::string selector(const std::string& driver, const std::string& resource) {
  return fmt::format(
      R"(device.driver == "{0}" && device.attributes["{0}"].?resource.orValue("") == "{1}")",
      driver, resource);
}

Json device_class(const std::string& driver, const std::string& resource) {
  return {
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "DeviceClass"},
      {"metadata", {{"name", device_class_name(resource)}}},
      {"spec",
       {{"selectors", Json::array({{{"cel", {{"expression", selector(driver, resource)}}}}})}}}};
}

Json claim_template(const std::string& resource, const std::string& name) {
  const Json request{{"name", name},
                     {"exactly", {{"deviceClassName", device_class_name(resource)}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", name}}},
          {"spec", {{"spec", {{"devices", {{"requests", Json::array({request})}}}}}}}};
}

Json pod_lines(const std::string& name) {
  const Json claim{{"name", name}, {"resourceClaimTemplateName", name}};
  const Json container{{"name", "main"},
                       {"resources", {{"claims", Json::array({Json{{"name", name}}})}}}};
  return {{"spec",
           {{"resourceClaims", Json::array({claim})}, {"containers", Json::array({container})}}}};
}

}  // namespace

std::string device_class_yaml(const std::string& driver, const rules::ResourcePlan& resource) {
  const std::string name = request_name(resource.name);
  std::string out = yaml_of(device_class(driver, resource.name));
  out += "# For Pods that get one device each, in their namespace:\n";
  out += as_comment(yaml_of(claim_template(resource.name, name)));
  out += "# In the Pod:\n";
  out += as_comment(yaml_of(pod_lines(name)));
  return out;
}

}  // namespace patchbay::dra
