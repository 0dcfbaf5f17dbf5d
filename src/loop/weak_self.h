#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace patchbay::loop {

/// Lets what comes back to the loop later (from the pool, from gRPC's thread) find its object, or
/// find that it is gone. A member of the object, which is destroyed on the loop thread.
template <typename Object>
class WeakSelf {
 public:
  explicit WeakSelf(Object* object) : object_(std::make_shared<Object*>(object)) {}
  WeakSelf(const WeakSelf&) = delete;
  WeakSelf& operator=(const WeakSelf&) = delete;

  /// Calls `function(object, arguments…)` while the object lives; after that, nothing. What is
  /// returned is called on the loop thread; any thread may hold it, and ask for it while the object
  /// lives.
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
