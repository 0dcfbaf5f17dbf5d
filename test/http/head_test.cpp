#include "http/head.h"

#include <string>

#include <gtest/gtest.h>

namespace patchbay::http {
namespace {

/// The parsed head of an HTTP/1.1 GET with these lines, or why it is refused.
Result<Head> with(const std::string& lines) {
  return parse_head("GET /x HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n");
}
std::string refusal(const Result<Head>& head) { return head ? "accepted" : head.error().message; }
Result<Head> first_line(const std::string& line) {
  return parse_head(line + "\r\nHost: localhost\r\n\r\n");
}

TEST(HeadSize, EndsAfterEmptyLine) {
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\nHost: x\r\n"), std::string::npos);
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\n\r"), std::string::npos);
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\n\r\nrest"), 18U);
  EXPECT_EQ(head_size("GET / HTTP/1.1\n\nrest"), 16U);
}

TEST(ParseHead, AcceptsBrowserRequest) {
  const auto head = with("accept:\ttext/html \r\nCookie: a=b; c\r\n");
  ASSERT_TRUE(head) << refusal(head);
  EXPECT_EQ(head->method, Head::Method::get);
  EXPECT_EQ(head->path, "/x");
  EXPECT_EQ(head->host, "localhost");
  EXPECT_FALSE(head->has_body);
}

TEST(ParseHead, DecodesTheQuery) {
  const auto head = first_line("GET /x?a=%2f+b&word&c=%zz%2&=none&a%62=1&&d== HTTP/1.1");
  ASSERT_TRUE(head) << refusal(head);
  EXPECT_EQ(head->path, "/x");
  const std::map<std::string, std::string> expected{
      {"a", "/ b"}, {"word", ""}, {"c", "%zz%2"}, {"ab", "1"}, {"d", "="}};
  EXPECT_EQ(head->query, expected);
}

TEST(ParseHead, UsesHostOfAbsoluteTarget) {
  const auto head = first_line("GET http://evil.example:1/x?y=1#z HTTP/1.1");
  ASSERT_TRUE(head) << refusal(head);
  EXPECT_EQ(head->host, "evil.example:1");
  EXPECT_EQ(head->path, "/x");
  EXPECT_EQ(head->query.at("y"), "1");
  EXPECT_EQ(first_line("GET http://a HTTP/1.1")->path, "/");
  EXPECT_EQ(refusal(first_line("GET http://user@a/ HTTP/1.1")), "the target must be a path");
}

TEST(ParseHead, RejectsBodyWithAmbiguousLength) {
  const std::string twice = "Content-Length and Transfer-Encoding allow one value only";
  EXPECT_EQ(refusal(with("Content-Length: 3\r\nContent-Length: 3\r\n")), twice);
  EXPECT_EQ(refusal(with("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n")), twice);
  EXPECT_EQ(refusal(with("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n")), twice);
  for (const char* length : {"-1", "+1", "1,1", "0x1", "", "1 1"}) {
    EXPECT_EQ(refusal(with(std::string("Content-Length: ") + length + "\r\n")),
              "Content-Length must be a number")
        << length;
  }
  for (const char* encoding : {"gzip", "chunked, chunked", "xchunked", "identity", ""}) {
    EXPECT_EQ(refusal(with(std::string("Transfer-Encoding: ") + encoding + "\r\n")),
              "unknown Transfer-Encoding")
        << encoding;
  }
}

TEST(ParseHead, DetectsBody) {
  EXPECT_FALSE(with("Content-Length: 0\r\n")->has_body);
  for (const char* line : {"Content-Length: 3\r\n", "Transfer-Encoding: Chunked\r\n"}) {
    const auto head = with(line);
    ASSERT_TRUE(head) << refusal(head);
    EXPECT_TRUE(head->has_body) << line;
  }
}

TEST(ParseHead, RejectsAmbiguousHeaders) {
  for (const char* line : {"Accept : x", " Accept: x", "\tx", "Accept", ": x", "A(b): x"}) {
    EXPECT_EQ(refusal(with(std::string(line) + "\r\n")), "a header line must be NAME: VALUE")
        << line;
  }
  const std::string character = "the request head contains a forbidden character";
  EXPECT_EQ(refusal(with(std::string("A: \0\r\n", 6))), character);
  EXPECT_EQ(refusal(with("A: \rb\r\n")), character);
  EXPECT_EQ(refusal(with("Host: other\r\n")), "more than one Host");
  EXPECT_EQ(refusal(parse_head("GET / HTTP/1.1\r\n\r\n")), "no Host");
  EXPECT_EQ(refusal(parse_head("GET / HTTP/1.0\r\n\r\n")), "accepted");
}

TEST(ParseHead, RejectsInvalidRequestLines) {
  for (const char* line : {"GET /", "GET / HTTP/2.0", "GET  / HTTP/1.1", "GET / x HTTP/1.1",
                           "GET / http/1.1", "G(T / HTTP/1.1", "GET / HTTP/1.1 ", "\x16\x03"}) {
    EXPECT_FALSE(first_line(line)) << line;
  }
  EXPECT_EQ(refusal(first_line("GET x HTTP/1.1")), "the target must be a path");
  EXPECT_EQ(first_line("OPTIONS * HTTP/1.1")->method, Head::Method::other);
  EXPECT_EQ(first_line("get / HTTP/1.1")->method, Head::Method::other);
}

TEST(IsLoopbackHost, AcceptsLoopbackInAnySpelling) {
  for (const char* own :
       {"", "localhost", "LocalHost:9405", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:9405",
        "[0:0:0:0:0:0:0:1]", "[0000::0001]:1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]:9405"}) {
    EXPECT_TRUE(is_loopback_host(own)) << own;
  }
  for (const char* foreign :
       {"evil.example", "127.evil.example", "localhost.evil.example:9405", "localhost.",
        "127.0.0.1.evil.example", "[::1].evil.example", "[::1]x", "[::1", "::1", "10.0.0.1",
        "[::ffff:10.0.0.1]", "[::2]", "127.1", "0", "127.0.0.1:x", "127.0.0.1:80:80"}) {
    EXPECT_FALSE(is_loopback_host(foreign)) << foreign;
  }
}

}  // namespace
}  // namespace patchbay::http
