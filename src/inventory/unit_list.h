#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace patchbay::inventory {

struct Unit;
using UnitPtr = std::shared_ptr<const Unit>;

/// A list of units that shares unchanged units with other lists. A new list with one changed unit
/// costs a pointer for each of the others, and a comparison can skip shared units. Read as a
/// sequence of `const Unit&`. The units are immutable. Any thread may read.
class UnitList {
 public:
  using value_type = Unit;

  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Unit;
    using difference_type = std::ptrdiff_t;
    using pointer = const Unit*;
    using reference = const Unit&;

    Iterator() = default;
    explicit Iterator(const UnitPtr* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    reference operator[](difference_type n) const { return *at_[n]; }
    /// The unit as a pointer that can be shared.
    [[nodiscard]] const UnitPtr& shared() const { return *at_; }

    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(const Iterator&, const Iterator&) = default;

   private:
    const UnitPtr* at_ = nullptr;
  };
  using const_iterator = Iterator;
  using iterator = Iterator;

  UnitList() = default;
  /// No pointer may be null.
  explicit UnitList(std::vector<UnitPtr> units) : units_(std::move(units)) {}
  UnitList(std::initializer_list<Unit> units);

  void push_back(Unit unit);

  [[nodiscard]] Iterator begin() const { return Iterator(units_.data()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(units_.data() + units_.size()); }
  [[nodiscard]] size_t size() const { return units_.size(); }
  [[nodiscard]] bool empty() const { return units_.empty(); }
  [[nodiscard]] const Unit& operator[](size_t i) const { return *units_[i]; }
  [[nodiscard]] const Unit& at(size_t i) const { return *units_.at(i); }
  [[nodiscard]] const Unit& front() const { return *units_.front(); }
  [[nodiscard]] const Unit& back() const { return *units_.back(); }

  /// Whether both have the same unit objects.
  [[nodiscard]] bool shares_all_of(const std::vector<UnitPtr>& units) const {
    return units_ == units;
  }
  friend bool operator==(const UnitList& a, const UnitList& b);

 private:
  std::vector<UnitPtr> units_;
};

}  // namespace patchbay::inventory
