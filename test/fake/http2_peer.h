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

/// Frames of HTTP/2, written by hand.
enum class Http2Type : uint8_t {
  data = 0,
  headers = 1,
  reset = 3,
  settings = 4,
  ping = 6,
  window_update = 8,
};
inline constexpr uint8_t kEndStream = 1;
inline constexpr uint8_t kEndHeaders = 4;

[[nodiscard]] std::string http2_frame(Http2Type type, uint8_t flags, uint32_t stream,
                                      std::string_view payload);
/// Opens a call of a method, "Allocate" for instance; `encoding`: gRPC's, of its messages.
[[nodiscard]] std::string open_call(uint32_t stream, const std::string& method,
                                    const std::string& encoding = "");
/// The five bytes before a message of gRPC's.
[[nodiscard]] std::string message_head(size_t length, bool compressed = false);

/// A client of HTTP/2 that does what no client does: it sends what it is told. One thread.
class Http2Peer {
 public:
  /// Connects, and sends the beginning of a connection unless it is to be silent. Throws
  /// std::runtime_error if nobody listens.
  explicit Http2Peer(const std::string& socket, bool silent = false);

  /// Sends all, as fast as the other end takes it. False: that has closed the connection, or takes
  /// nothing for a while.
  bool send(std::string_view bytes);
  /// Sends the data of a stream as flow control allows, and reads what comes meanwhile; gives up
  /// where no more is allowed for a moment, or the stream was ended. False as above.
  bool send_data(uint32_t stream, std::string_view bytes, bool end);
  /// Reads what has come and throws it away, but for what windows it opens. False: closed.
  bool read_away();
  /// Waits until the other end has closed the connection. False: it does not.
  bool wait_for_end();

 private:
  void read_frames();
  [[nodiscard]] bool wait_for(short events, std::chrono::milliseconds patience = kPatience) const;

  UniqueFd fd_;
  std::string unread_;
  int64_t window_ = 65535;
  int64_t first_window_ = 65535;
  std::set<uint32_t> ended_;             ///< Streams, by the other end.
  std::map<uint32_t, int64_t> windows_;  ///< Of streams: what was added to the first window.
};

}  // namespace patchbay::fake
