#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// A configuration of two files that is edited at random and always valid. A seed yields the same
/// sequence on every platform, unlike the standard's distributions.
class RandomConfiguration {
 public:
  /// A resource whose position changes, but never its content.
  static constexpr const char* kAnchor = "x.io/anchor";

  struct Group {
    size_t pattern = 0;
    size_t id = 0;
    size_t value = 0;
  };
  struct Resource {
    std::string name;
    bool pre_start = false;
    std::vector<Group> groups{};  ///< The anchor has none.
  };

  /// Devices are files in the directories `anchor`, `a`, `b` and `c` below `devices`.
  RandomConfiguration(std::string devices, uint32_t seed)
      : devices_(std::move(devices)), engine_(seed) {
    files_[0] = {{.name = kAnchor, .groups = {}}, new_resource()};
    files_[1] = {new_resource()};
  }

  size_t pick(size_t n) { return engine_() % n; }
  bool once_in(size_t n) { return pick(n) == 0; }

  /// Makes one random edit. Adds the names of the edited resources to `touched`.
  void edit(std::set<std::string>& touched) {
    switch (pick(8)) {
      case 0:
        return add(touched);
      case 1:
        return remove(touched);
      case 2:
        return move_resource(touched);
      case 3:
        return move_group(touched);
      default:
        return change(touched);
    }
  }

  /// The files by name; a file without resources does not exist.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> texts;
    for (size_t file = 0; file < files_.size(); ++file) {
      if (files_.at(file).empty()) continue;
      std::string text =
          "apiVersion: patchbay/v1\nkind: Config\n"
          "defaults: {domain: x.io, linger: 0s}\nresources:\n";
      for (const Resource& resource : files_.at(file)) text += text_of(resource);
      texts[std::string(1, static_cast<char>('a' + file)) + ".yaml"] = std::move(text);
    }
    return texts;
  }

  /// Makes the text of a file invalid in a random way.
  [[nodiscard]] std::string with_a_mistake(const std::string& text) {
    switch (pick(4)) {
      case 0:
        return "";
      case 1:
        return text + "  - {name: \n";
      case 2:
        return text + "  - {name: x.io/other, matches: {static: [o]}}\n";
      default:
        return text + std::string(1, '\0');
    }
  }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& file : files_) {
      for (const Resource& resource : file) names.insert(resource.name);
    }
    return names;
  }

 private:
  using File = std::vector<Resource>;

  [[nodiscard]] std::string text_of(const Resource& resource) const {
    std::string text = "  - name: " + resource.name + "\n";
    if (resource.groups.empty()) {
      return text + "    match: {glob: \"" + devices_ + "/anchor/*\", type: file}\n" +
             "    envs: {ANCHOR: $(name)}\n";
    }
    static constexpr std::array<const char*, 7> kPatterns = {
        "a/*", "b/*", "c/*", "a/[a-z][02]", "b/b1", "[ab]/*", "*/[a-z][13]"};
    if (resource.pre_start) text += "    preStart: [{exec: [/bin/true]}]\n";
    text += "    groups:\n";
    for (const Group& group : resource.groups) {
      text += "      - match: {glob: \"" + devices_ + "/" + kPatterns.at(group.pattern) +
              "\", type: file}\n        id: i" + std::to_string(group.id) +
              "-$(path)\n        envs: {NAMES: $(name), VALUE: \"" + std::to_string(group.value) +
              "\"}\n";
    }
    return text;
  }

  Group new_group() { return {.pattern = pick(7), .id = pick(3), .value = pick(100)}; }

  Resource new_resource() {
    Resource resource{.name = "x.io/r" + std::to_string(made_++), .groups = {new_group()}};
    if (once_in(2)) resource.groups.push_back(new_group());
    return resource;
  }

  size_t place_in(const File& file) { return pick(file.size() + 1); }

  void put(File& file, Resource resource) {
    const auto place = static_cast<ptrdiff_t>(place_in(file));
    file.insert(file.begin() + place, std::move(resource));
  }

  /// A random resource except the anchor, or null.
  Resource* any() {
    std::vector<Resource*> all;
    for (File& file : files_) {
      for (Resource& resource : file) {
        if (resource.name != kAnchor) all.push_back(&resource);
      }
    }
    return all.empty() ? nullptr : all.at(pick(all.size()));
  }

  void add(std::set<std::string>& touched) {
    if (names().size() >= 7) return remove(touched);
    Resource resource = new_resource();
    // May give the resource a name that an earlier edit removed.
    if (once_in(2)) {
      const std::string name = "x.io/r" + std::to_string(pick(made_));
      if (!names().contains(name)) resource.name = name;
    }
    touched.insert(resource.name);
    put(files_.at(pick(2)), std::move(resource));
  }

  void remove(std::set<std::string>& touched) {
    const Resource* victim = any();
    if (victim == nullptr) return add(touched);
    const std::string name = victim->name;
    touched.insert(name);
    for (File& file : files_) {
      std::erase_if(file, [&](const Resource& resource) { return resource.name == name; });
    }
  }

  /// Moves any resource, also the anchor, within its file or to the other one.
  void move_resource(std::set<std::string>& touched) {
    const size_t from = files_[0].empty() ? 1 : files_[1].empty() ? 0 : pick(2);
    File& file = files_.at(from);
    const auto place = file.begin() + static_cast<ptrdiff_t>(pick(file.size()));
    Resource resource = std::move(*place);
    file.erase(place);
    if (resource.name != kAnchor) touched.insert(resource.name);
    put(files_.at(pick(2)), std::move(resource));
  }

  void move_group(std::set<std::string>& touched) {
    Resource* from = any();
    Resource* to = any();
    if (from == to || from == nullptr || from->groups.size() < 2) return change(touched);
    touched.insert({from->name, to->name});
    to->groups.push_back(from->groups.back());
    from->groups.pop_back();
  }

  void change(std::set<std::string>& touched) {
    Resource* resource = any();
    if (resource == nullptr) return add(touched);
    touched.insert(resource->name);
    Group& group = resource->groups.at(pick(resource->groups.size()));
    switch (pick(6)) {
      case 0:
        group.pattern = pick(7);
        break;
      case 1:
        group.id = pick(3);
        break;
      case 2:
        resource->pre_start = !resource->pre_start;
        break;
      case 3:
        resource->groups.push_back(new_group());
        break;
      case 4:
        if (resource->groups.size() > 1) resource->groups.erase(resource->groups.begin());
        break;
      default:
        group.value = pick(100);
    }
  }

  std::string devices_;
  std::mt19937 engine_;
  size_t made_ = 0;
  std::array<File, 2> files_;
};

}  // namespace patchbay
