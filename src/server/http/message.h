// What travels over HTTP, as plain values: header fields, a request, a response. They know nothing of sockets.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace glovebox::http {

// Header fields in the order they came; names compare without case, a name may occur several times.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}
  bool operator==(const Headers&) const = default;

  void add(std::string name, std::string value);
  // Replaces every field of that name.
  void set(std::string name, std::string value);
  void remove(std::string_view name);

  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The first value, or nullptr.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  // The first value, or "".
  [[nodiscard]] std::string_view get(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  // Whether a comma-separated field holds the token: has_token("Connection", "close").
  [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);

// Who is at the other end of a connection, as the kernel says.
struct Peer {
  std::string address;  // "127.0.0.1", "::1", or "unix"
  std::uint16_t port = 0;
  bool is_loopback = false;
  bool is_unix_socket = false;
  std::optional<uid_t> uid;  // unix sockets only
  std::optional<pid_t> pid;  // unix sockets only
};

// Takes a body while it is being read, so that it never sits in memory whole. Called on an I/O thread, in order; may
// write to a file, must not wait for anything else. Destroyed without finish(): the upload was abandoned.
class BodySink {
 public:
  virtual ~BodySink() = default;
  [[nodiscard]] virtual base::Status append(std::string_view bytes) = 0;
  [[nodiscard]] virtual base::Status finish() = 0;
};

struct Request {
  std::string method;  // GET, HEAD, POST, PUT, DELETE, PATCH or OPTIONS; all else was answered 501
  std::string target;  // as it was sent
  // Segments, split at "/" and then percent-decoded once: "/v1/a%2Fb" is {"v1", "a/b"}, "/" is {}. Each is valid UTF-8,
  // not empty, not "." or "..", without control characters. A "/" can be inside: never join them into a file name.
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;  // decoded ("+" is a space), valid UTF-8, in order
  Headers headers;
  std::string body;                // empty when a sink took it
  std::shared_ptr<BodySink> sink;  // the sink that took the body, already finished
  std::uint64_t body_bytes = 0;
  std::shared_ptr<void> body_share;  // of the server's memory for bodies; given back with the request
  Peer peer;
  int minor_version = 1;  // HTTP/1.0 or HTTP/1.1

  // The first value of a query parameter, or nullptr.
  [[nodiscard]] const std::string* query_value(std::string_view name) const;
};

// A part of a file as a response's body; read while it is sent.
struct FileBody {
  base::Fd fd;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Content-Length, Transfer-Encoding, Connection, Date and Server belong to the server and are ignored here, except
// "Connection: close". A field that is not a token, or a value with CR, LF or NUL, turns the answer into a 500.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::optional<FileBody> file;  // instead of `body`
};

}  // namespace glovebox::http
