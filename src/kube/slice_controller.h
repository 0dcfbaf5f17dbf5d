#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/slice.h"

namespace patchbay::kube {

/// A write that brings the server one step nearer to the wanted pool.
struct Operation {
  enum class Kind { create, update, remove } kind = Kind::create;
  Slice stored;     ///< The slice that an update or a deletion applies to.
  Content content;  ///< The fields that a create or an update sets.
};

/// Knows the stored and the wanted slices, and decides which write comes next, so that they become
/// equal. It plans only one write: it may fail, and other programs may change the slices. Pure. One
/// thread.
///
/// Consumers use only the slices of the highest generation of a pool, and only if their number is
/// the resourceSliceCount in them. So no device is offered twice while it moves to another slice.
class SliceController {
 public:
  explicit SliceController(std::string pool) : pool_(std::move(pool)) {}

  /// Sets the wanted slices: arrays of devices as JSON text with sorted keys. Without a slice, the
  /// pool is deleted.
  void set_wanted(std::vector<std::string> slices);

  /// Sets the server's slices of our driver and node. The list is read after the last write of
  /// ours.
  void set_stored(const Json& list);
  /// Applies an event of the watch. An event that is older than the list, or than the answer to a
  /// write, changes nothing.
  void apply(const Json& event);
  /// Records the server's answer to a create or an update.
  void written(const Operation& operation, Slice answer);

  /// The next write; nullopt: the server has the wanted pool, or none is wanted yet. Superfluous
  /// slices are deleted first. The generation stays if at most one slice of a complete pool
  /// changes, or if slices are missing beside correct ones. Otherwise it increases, and each slice
  /// is written. Slices of other pools are left alone.
  [[nodiscard]] std::optional<Operation> next() const;

  /// The paths of the fields that the server dropped from the wanted slices.
  [[nodiscard]] std::vector<std::string> dropped() const;

 private:
  void store(Slice slice);
  [[nodiscard]] bool is_right(size_t index, const Slice& slice) const;
  [[nodiscard]] int64_t next_generation(const std::map<size_t, const Slice*>& by_index) const;

  std::string pool_;
  bool has_wanted_ = false;
  std::vector<std::string> wanted_;
  std::map<std::string, Slice> stored_;  // By name.
  uint64_t list_version_ = 0;
  // Wanted slices that the server stored differently: it drops fields, and formats quantities.
  std::map<std::string, std::string> changed_by_server_;
  int64_t last_generation_ = 0;  // The highest one that was ever written.
};

}  // namespace patchbay::kube
