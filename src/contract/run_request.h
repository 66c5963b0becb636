// What a caller asks for (C1). A plain value: comparable, copyable, printable as JSON by run_request_codec.h.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/rel_path.h"
#include "contract/limits.h"

namespace glovebox::contract {

// A file's bytes travel with the request, or stay in the blob store and are mounted read-only (A2).
struct BlobRef {
  std::string sha256;  // 64 lower-case hexadecimal digits
  bool operator==(const BlobRef&) const = default;
};

struct InputFile {
  base::RelPath path;
  std::variant<std::string, BlobRef> content;  // decoded bytes, or a reference
  bool operator==(const InputFile&) const = default;
};

struct Network {
  std::vector<std::string> allow;  // host:port
  bool operator==(const Network&) const = default;
};

enum class Isolation { process, container, vm, wasm, none };
enum class CacheMode { use, refresh, off };

struct RunRequest {
  std::string language = "python";
  std::string code;
  std::string standard_input;  // "stdin" in JSON; stdin is a macro in C
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::vector<InputFile> files;
  // Given: the code defines solve(input); this JSON text is its argument and its value comes back in results (C4).
  std::optional<std::string> input_json;
  Limits limits;
  Network network;
  Isolation isolation = Isolation::container;
  std::string policy = "default";
  std::vector<std::string> artifacts;      // glob patterns; empty: nothing is collected
  std::optional<std::string> expect_json;  // "expect", kept as JSON text; {} counts as absent
  CacheMode cache = CacheMode::use;
  std::optional<std::string> idempotency_key;
  bool deterministic = false;

  bool operator==(const RunRequest&) const = default;
};

[[nodiscard]] std::string_view to_string(Isolation isolation);
[[nodiscard]] std::string_view to_string(CacheMode mode);
[[nodiscard]] std::optional<Isolation> parse_isolation(std::string_view name);
[[nodiscard]] std::optional<CacheMode> parse_cache_mode(std::string_view name);
// Every name in the enum's order, for messages and help texts.
[[nodiscard]] std::span<const std::string_view> isolation_names();
[[nodiscard]] std::span<const std::string_view> cache_mode_names();

}  // namespace glovebox::contract
