#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "fake/patience.h"

namespace patchbay::fake {

/// The frame that opens a call of a method, for instance "Allocate".
[[nodiscard]] std::string open_call(uint32_t stream, const std::string& method);
/// gRPC's five bytes before a message.
[[nodiscard]] std::string message_head(size_t length);

/// An HTTP/2 client that sends any bytes, valid or not. For one thread.
class Http2Peer {
 public:
  /// Connects and sends the connection preface unless `silent`. Throws std::runtime_error if the
  /// socket has no listener.
  explicit Http2Peer(const std::string& socket, bool silent = false);

  /// Sends all bytes as fast as the peer reads them. Returns false if the peer closed the
  /// connection, or reads nothing for kPatience.
  bool send(std::string_view bytes);
  /// Sends the data of a stream as flow control allows, and reads incoming frames meanwhile. Stops
  /// early, with true, if the window is closed for 0.2 s or the peer ended the stream. Returns
  /// false as send() does.
  bool send_data(uint32_t stream, std::string_view bytes, bool end);
  /// Reads all incoming frames. Keeps only what send_data() needs: windows and ended streams.
  /// Returns false if the peer closed the connection.
  bool read_away();

 private:
  void read_frames();
  [[nodiscard]] bool wait_for(short events, std::chrono::milliseconds patience = kPatience) const;

  UniqueFd fd_;
  std::string unread_;
  int64_t window_ = 65535;
  int64_t first_window_ = 65535;
  std::set<uint32_t> ended_;             ///< Streams that the peer ended.
  std::map<uint32_t, int64_t> windows_;  ///< By stream: its window minus `first_window_`.
};

}  // namespace patchbay::fake
