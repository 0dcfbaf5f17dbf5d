#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

constexpr const char* kCdiHint =
    "write VENDOR/CLASS=DEVICE, for example nvidia.com/gpu=$(id): letters, digits, '.', '_', '-', "
    "and in DEVICE ':'";
constexpr const char* kAddressHint =
    "write for example 192.0.2.7:5025, [2001:db8::7]:5025 or $(name):5025";
constexpr const char* kEnvNameHint =
    "write letters, digits and '_', without a digit at the beginning";
constexpr const char* kAnnotationNameHint =
    "write letters, digits, '.', '_' and '-', for example lab.example.com/bench";

}  // namespace

std::string text_hint(TextUse use) {
  switch (use) {
    case TextUse::path:
      return kPathHint;
    case TextUse::address:
      return kAddressHint;
    case TextUse::cdi_name:
      return kCdiHint;
    case TextUse::quantity:
      return "write for example 4, 1Gi or 0x10";
    case TextUse::id:
    case TextUse::key:
      return "write a variable that differs between units, for example $(usb.serial) or $(name)";
    case TextUse::pattern:
    case TextUse::regex:
    case TextUse::comparand:
      return "write the text to compare with; no value is empty";
    default:
      return literal_hint(use);
  }
}

std::string literal_hint(TextUse use) {
  if (use == TextUse::env_name) return kEnvNameHint;
  if (use == TextUse::annotation_name) return kAnnotationNameHint;
  return "remove it: in double quotes '\\' begins an escape";
}

}  // namespace patchbay::rules
