#include "paths/memory_files.h"

#include <sys/stat.h>

#include <utility>

namespace patchbay::paths {

MemoryFiles::MemoryFiles() { entries_["/"] = {.mode = S_IFDIR | 0755, .inode = 1}; }

bool MemoryFiles::add_directory(const std::string& path) {
  const Entry* found = find(path);
  if (found != nullptr) return S_ISDIR(found->mode);
  return add(path, S_IFDIR | 0755) != nullptr;
}

bool MemoryFiles::add_file(const std::string& path, std::string content, mode_t permissions) {
  Entry* entry = add(path, S_IFREG | permissions);
  if (entry != nullptr) entry->content = std::move(content);
  return entry != nullptr;
}

bool MemoryFiles::add_link(const std::string& path, std::string target) {
  Entry* entry = add(path, S_IFLNK | 0777);
  if (entry != nullptr) entry->content = std::move(target);
  return entry != nullptr;
}

bool MemoryFiles::add_node(const std::string& path, mode_t type, dev_t number) {
  Entry* entry = add(path, type | 0600);
  if (entry != nullptr) entry->number = number;
  return entry != nullptr;
}

const MemoryFiles::Entry* MemoryFiles::find(const std::string& path) const {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : &found->second;
}

/// Null: it exists, or its parent is no directory.
MemoryFiles::Entry* MemoryFiles::add(const std::string& path, mode_t mode) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash + 1 == path.size() || find(path) != nullptr) {
    return nullptr;
  }
  const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
  if (!add_directory(parent)) return nullptr;
  entries_.at(parent).names.push_back(path.substr(slash + 1));
  Entry& entry = entries_[path];
  entry.mode = mode;
  entry.inode = entries_.size();
  return &entry;
}

}  // namespace patchbay::paths
