#include "fake/floods.h"

#include <cstdint>
#include <list>

#include "fake/http2_peer.h"

namespace patchbay::fake {
namespace {

constexpr uint32_t kNextStream = 2;  // Clients use odd stream ids.

/// Calls that are cancelled at once.
void resets(const std::string& socket, int rounds) {
  constexpr int kCalls = 6500;
  for (int round = 0; round < rounds; ++round) {
    std::string calls;
    for (uint32_t stream = 1; stream < kCalls * kNextStream; stream += kNextStream) {
      calls += open_call(stream, "Allocate") +
               http2_frame(Http2Type::reset, 0, stream, std::string("\0\0\0\x8", 4));
    }
    Http2Peer peer(socket);
    peer.send(calls);
  }
}

/// A gzip of zeros, by hand: one literal, then copies of it.
std::string zeros(size_t megabytes) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  uint64_t held = 0;
  unsigned count = 0;
  const auto put = [&](uint32_t bits, unsigned length) {
    held |= static_cast<uint64_t>(bits) << count;
    for (count += length; count >= 8; count -= 8, held >>= 8U)
      out += static_cast<char>(held & 0xffU);
  };
  put(1, 1);            // The last block.
  put(1, 2);            // With the fixed code.
  put(0b0000'1100, 8);  // The literal 0; codes are written from their first bit on.
  for (size_t i = 0; i < megabytes * 1'000'000 / 258; ++i) {
    put(0b1010'0011, 8);  // Copy 258 bytes.
    put(0, 5);            // From distance 1.
  }
  put(0, 7);  // End of block.
  put(0, 7);
  return out + std::string(8, '\0');
}

void inflation(const std::string& socket, int rounds) {
  const std::string packed = zeros(600);
  for (int round = 0; round < rounds; ++round) {
    Http2Peer peer(socket);
    peer.send(open_call(1, "Allocate", "gzip"));
    if (peer.send_data(1, message_head(packed.size(), true) + packed, true)) peer.read_away();
  }
}

/// Streams above the server's limit.
void streams(const std::string& socket, int rounds) {
  constexpr uint32_t kStreams = 4400;
  for (int round = 0; round < rounds; ++round) {
    Http2Peer peer(socket);
    std::string calls;
    for (uint32_t stream = 1; stream < kStreams * kNextStream; stream += kNextStream) {
      calls += open_call(stream, "ListAndWatch") +
               http2_frame(Http2Type::data, kEndStream, stream, message_head(0));
    }
    if (peer.send(calls)) peer.wait_for_end();
  }
}

/// Endless messages, several on each connection.
void unfinished(const std::string& socket, int rounds, size_t length, size_t sent) {
  constexpr int kConnections = 16;
  constexpr uint32_t kCalls = 2;
  for (int round = 0; round < rounds; ++round) {
    std::list<Http2Peer> peers;
    for (int i = 0; i < kConnections; ++i) {
      auto& peer = peers.emplace_back(socket);
      for (uint32_t stream = 1; stream < kCalls * kNextStream; stream += kNextStream) {
        if (!peer.send(open_call(stream, "Allocate")) ||
            !peer.send_data(stream, message_head(length) + std::string(sent, '\xa'), false)) {
          break;
        }
      }
    }
  }
}

/// PINGs with unread answers.
void pings(const std::string& socket, int rounds) {
  constexpr int kPings = 200'000;
  std::string all;
  for (int i = 0; i < 1000; ++i) all += http2_frame(Http2Type::ping, 0, 0, "12345678");
  for (int round = 0; round < rounds; ++round) {
    Http2Peer peer(socket);
    for (int i = 0; i < kPings / 1000 && peer.send(all); ++i) {
    }
  }
}

/// Connections without data, or with only the preface.
void silence(const std::string& socket, int rounds, bool says_nothing) {
  constexpr size_t kConnections = 20;
  std::list<Http2Peer> peers;
  for (size_t i = 0; i < static_cast<size_t>(rounds) * kConnections; ++i) {
    peers.emplace_back(socket, says_nothing);
    if (peers.size() > 3 * kConnections) peers.pop_front();
  }
}

/// One request with many empty containers.
void containers(const std::string& socket, int rounds, size_t count) {
  std::string request;
  for (size_t i = 0; i < count; ++i) request += std::string("\x0a\0", 2);
  for (int round = 0; round < rounds; ++round) {
    Http2Peer peer(socket);
    if (peer.send(open_call(1, "Allocate"))) {
      peer.send_data(1, message_head(request.size()) + request, true);
    }
  }
}

/// Frames without effect: data without a call.
void nothing(const std::string& socket, int rounds) {
  std::string all = open_call(1, "Allocate");
  for (int i = 0; i < 200'000; ++i) all += http2_frame(Http2Type::data, 0, 1, "");
  for (int round = 0; round < rounds; ++round) {
    Http2Peer peer(socket);
    peer.send(all);
  }
}

constexpr size_t kMegabyte = size_t{1} << 20U;

}  // namespace

const std::vector<Flood>& floods() {
  static const std::vector<Flood> all = {
      {"Resets", resets},
      {"Inflation", inflation},
      {"Streams", streams},
      {"Unfinished", [](const std::string& socket,
                        int rounds) { unfinished(socket, rounds, 5 * kMegabyte, 4 * kMegabyte); }},
      {"TooLong", [](const std::string& socket,
                     int rounds) { unfinished(socket, rounds, 15 * kMegabyte, 14 * kMegabyte); }},
      {"Pings", pings},
      {"Silence", [](const std::string& socket, int rounds) { silence(socket, rounds, true); }},
      {"Hellos", [](const std::string& socket, int rounds) { silence(socket, rounds, false); }},
      {"Containers",
       [](const std::string& socket, int rounds) { containers(socket, rounds, 100'000); }},
      {"MostContainers",
       [](const std::string& socket, int rounds) { containers(socket, rounds, 3'000'000); }},
      {"Nothing", nothing},
  };
  return all;
}

}  // namespace patchbay::fake
