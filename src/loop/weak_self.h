#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace patchbay::loop {

/// Makes callbacks that do nothing after their object was destroyed, for calls that reach the loop
/// later. A WeakSelf is a member of the object, and the object must be destroyed on the loop
/// thread.
template <typename Object>
class WeakSelf {
 public:
  explicit WeakSelf(Object* object) : object_(std::make_shared<Object*>(object)) {}
  WeakSelf(const WeakSelf&) = delete;
  WeakSelf& operator=(const WeakSelf&) = delete;

  /// Returns a function that calls `function(object, arguments…)` while the object lives, and does
  /// nothing afterwards. Call the result on the loop thread. Any thread may store it, and may
  /// create it while the object lives.
  template <typename Function>
  [[nodiscard]] auto guard(Function function) const {
    return [object = std::weak_ptr(object_),
            function = std::move(function)](auto&&... arguments) mutable {
      if (const auto alive = object.lock()) {
        std::invoke(function, **alive, std::forward<decltype(arguments)>(arguments)...);
      }
    };
  }

 private:
  std::shared_ptr<Object*> object_;
};

}  // namespace patchbay::loop
