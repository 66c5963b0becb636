#include "server/http/message_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <utility>

#include "server/http/target.h"

namespace glovebox::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Collects what a head says.
template <bool kIsRequest>
class HeadParser : public beast::http::basic_parser<kIsRequest> {
 public:
  HeadParser() {
    this->body_limit(UINT64_MAX);    // counted by whoever takes it
    this->header_limit(UINT32_MAX);  // checked by the scanner
  }

  // `head` is complete.
  [[nodiscard]] std::optional<Refusal> parse(std::string_view head) {
    error_code error;
    const std::size_t used = this->put(boost::asio::buffer(head.data(), head.size()), error);
    if (error || used != head.size() || !this->is_header_done()) {
      return malformed("the head is malformed: " + (error ? error.message() : std::string("it does not end")));
    }
    return std::nullopt;
  }

  Headers headers;
  int minor_version = 1;
  std::string method;
  std::string target;
  int status = 0;

 protected:
  void on_request_impl(beast::http::verb /*verb*/, beast::string_view name, beast::string_view where, int version,
                       error_code& /*error*/) override {
    method = view(name);
    target = view(where);
    minor_version = version % 10;
  }
  void on_response_impl(int code, beast::string_view /*reason*/, int version, error_code& /*error*/) override {
    status = code;
    minor_version = version % 10;
  }
  void on_field_impl(beast::http::field /*field*/, beast::string_view name, beast::string_view value,
                     error_code& /*error*/) override {
    headers.add(std::string(view(name)), std::string(view(value)));
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, error_code& /*error*/) override {}
  std::size_t on_body_impl(beast::string_view /*bytes*/, error_code& error) override { return refuse_body(error); }
  void on_chunk_header_impl(std::uint64_t /*size*/, beast::string_view /*extension*/, error_code& error) override {
    refuse_body(error);
  }
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, beast::string_view /*bytes*/, error_code& error) override {
    return refuse_body(error);
  }
  void on_finish_impl(error_code& /*error*/) override {}

 private:
  // It is given heads only.
  static std::size_t refuse_body(error_code& error) {
    error = beast::http::error::unexpected_body;
    return 0;
  }
};

}  // namespace

tl::expected<std::size_t, Refusal> RequestParser::read_head(std::string_view buffered, Request& request) {
  const auto refuse = [](Refusal refusal) { return tl::unexpected<Refusal>(std::move(refusal)); };
  auto length = scanner_.scan(buffered);
  if (!length.has_value() || *length == 0) {
    return length;
  }
  HeadParser<true> parser;
  if (auto refusal = parser.parse(buffered.substr(0, *length)); refusal.has_value()) {
    return refuse(std::move(*refusal));
  }
  request.method = std::move(parser.method);
  request.target = std::move(parser.target);
  request.headers = std::move(parser.headers);
  request.minor_version = parser.minor_version;
  auto framing = request_framing(request.headers, request.minor_version);
  if (!framing.has_value()) {
    return refuse(std::move(framing.error()));
  }
  // Two readings of the same fields: if they differ, neither is trusted.
  if (framing->has_body() == parser.is_done() || framing->chunked != parser.chunked()) {
    return refuse(malformed("the length of the body is in doubt"));
  }
  framing_ = *framing;
  body_ = framing_.chunked ? BodyReader::chunked() : BodyReader::sized(framing_.content_length);
  auto target = parse_target(request.method, request.target);
  if (!target.has_value()) {
    return refuse(std::move(target.error()));
  }
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  authority_ = target->authority.empty() ? std::string(request.headers.get("Host")) : std::move(target->authority);
  return length;
}

tl::expected<std::size_t, Refusal> ResponseParser::read_head(std::string_view buffered) {
  auto length = scanner_.scan(buffered);
  if (!length.has_value() || *length == 0) {
    return length;
  }
  HeadParser<false> parser;
  parser.skip(form_ == BodyOfResponse::never);
  if (auto refusal = parser.parse(buffered.substr(0, *length)); refusal.has_value()) {
    return tl::unexpected<Refusal>(std::move(*refusal));
  }
  if (parser.status < 100 || parser.status > 599) {
    return tl::unexpected<Refusal>(malformed("the status is none of HTTP's"));
  }
  status_ = parser.status;
  headers_ = std::move(parser.headers);
  keep_alive_ = parser.keep_alive();
  if (!parser.is_done()) {
    body_ = parser.chunked()    ? BodyReader::chunked()
            : parser.need_eof() ? BodyReader::to_eof()
                                : BodyReader::sized(parser.content_length().value_or(0));
  }
  return length;
}

}  // namespace glovebox::http
