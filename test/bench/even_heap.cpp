#include "bench/even_heap.h"

#include <array>
#include <bit>
#include <cstdlib>

namespace patchbay::bench {
namespace {

/// Precedes each block. The block has 2^exponent bytes.
struct alignas(std::max_align_t) Header {
  size_t exponent = 0;
};
/// The content of a free block.
struct Free {
  Free* next = nullptr;
};

constexpr size_t kLeastExponent = 5;
constexpr size_t kPieceBytes = size_t{1} << 20;

std::array<Free*, 64> free_blocks{};
std::byte* piece = nullptr;
size_t left = 0;  ///< Bytes left in the piece.

std::byte* carve(size_t bytes) {
  if (bytes > kPieceBytes) return static_cast<std::byte*>(std::malloc(bytes));
  if (bytes > left) {
    piece = static_cast<std::byte*>(std::malloc(kPieceBytes));
    left = kPieceBytes;
  }
  std::byte* const block = piece;
  if (block == nullptr) return nullptr;
  piece += bytes;
  left -= bytes;
  return block;
}

}  // namespace

void* even_allocate(size_t bytes) {
  const auto needed = static_cast<size_t>(std::bit_width(bytes + sizeof(Header) - 1));
  const size_t exponent = needed < kLeastExponent ? kLeastExponent : needed;
  Free*& first = free_blocks[exponent];
  if (first != nullptr) {
    Free* const block = first;
    first = block->next;
    return block;
  }
  std::byte* const block = carve(size_t{1} << exponent);
  if (block == nullptr) std::abort();
  *reinterpret_cast<Header*>(block) = {exponent};
  return block + sizeof(Header);
}

void even_release(void* block) {
  if (block == nullptr) return;
  const auto* const header =
      reinterpret_cast<const Header*>(static_cast<std::byte*>(block) - sizeof(Header));
  auto* const released = static_cast<Free*>(block);
  released->next = free_blocks[header->exponent];
  free_blocks[header->exponent] = released;
}

}  // namespace patchbay::bench
