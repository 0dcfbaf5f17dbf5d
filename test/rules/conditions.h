#pragma once

#include <string>
#include <utility>

#include "config/spec.h"

/// Makes conditions like those of a file, but without positions.
namespace patchbay::rules {

inline config::ConditionSpec text(std::string glob) {
  config::ConditionSpec spec;
  spec.text = std::move(glob);
  return spec;
}

inline config::ConditionSpec mapping() {
  config::ConditionSpec spec;
  spec.form = config::ConditionSpec::Form::mapping;
  return spec;
}

inline config::ConditionSpec regex(std::string value) {
  config::ConditionSpec spec = mapping();
  spec.regex = {std::move(value), {}};
  return spec;
}

inline config::ConditionSpec exists(bool value) {
  config::ConditionSpec spec = mapping();
  spec.exists = {value, {}};
  return spec;
}

}  // namespace patchbay::rules
