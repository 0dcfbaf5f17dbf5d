#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "base/write_all.h"
#include "fake/event_log.h"
#include "kube/line_splitter.h"
#include "kube/slice.h"

namespace patchbay::kube {

/// The daemon's end of the socket.
class DaemonEnd {
 public:
  explicit DaemonEnd(UniqueFd socket) : socket_(std::move(socket)) {
    reader_ = std::thread([this] {
      LineSplitter splitter;
      std::array<char, 4096> chunk;
      for (ssize_t size = 0; (size = read(socket_.get(), chunk.data(), chunk.size())) > 0;) {
        static_cast<void>(splitter.add({chunk.data(), static_cast<size_t>(size)}, [&](auto line) {
          lines.add(std::string(line));
          return true;
        }));
      }
    });
  }
  DaemonEnd(const DaemonEnd&) = delete;
  DaemonEnd& operator=(const DaemonEnd&) = delete;
  ~DaemonEnd() {
    shutdown(socket_.get(), SHUT_RDWR);
    reader_.join();
  }

  void send(const std::string& line) const { write_all(socket_.get(), line + "\n"); }

  /// Each text is a slice, with a device for each of its characters.
  void want(int number, const std::vector<std::string>& slices) const {
    send(Json{{"wanted", number}, {"slices", slices.size()}}.dump());
    for (const std::string& names : slices) {
      Json devices = Json::array();
      for (const char name : names) devices.push_back({{"name", std::string(1, name)}});
      send(Json{{"devices", devices}}.dump());
    }
  }

  /// Waits for a line with the text; "" if it does not come.
  [[nodiscard]] std::string wait_for(const std::string& text, size_t from = 0) const {
    const auto contains = [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    };
    return lines.wait_for(contains, from).value_or("");
  }

  fake::EventLog<std::string> lines;

 private:
  UniqueFd socket_;
  std::thread reader_;
};

}  // namespace patchbay::kube
