#include "host/place_watch.h"

#include <utility>

namespace patchbay::host {

Result<bool> PlaceWatch::renew(const Place& place, Looks looks, const Begin& begin) {
  const bool same = device_ == place.device && inode_ == place.inode;
  if (watch_ && same) return look_ >= looks.heard;
  watch_.reset();
  device_ = place.device;
  inode_ = place.inode;
  look_ = looks.begun;
  auto watch = begin();
  if (watch) {
    failed_ = 0;
    watch_ = *std::move(watch);
    return true;
  }
  // Once it may only have gone meanwhile: then the next look finds what is there instead.
  if (failed_ != 0 && failed_ < looks.heard) return std::unexpected(std::move(watch).error());
  failed_ = looks.begun;
  return true;
}

}  // namespace patchbay::host
