#include "server/http/problem.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace glovebox::http {
namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

}  // namespace

std::string_view reason_phrase(int status) {
  for (const auto& [number, reason] : kReasons) {
    if (number == status) {
      return reason;
    }
  }
  return "Unknown";
}

Response problem(int status, std::string_view code, std::string_view detail) {
  nlohmann::ordered_json body;
  body["type"] = "about:blank";
  body["title"] = reason_phrase(status);
  body["status"] = status;
  body["detail"] = detail;
  body["code"] = code;
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/problem+json");
  response.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return response;
}

Response problem(const Refusal& refusal) { return problem(refusal.status, refusal.code, refusal.detail); }

}  // namespace glovebox::http
