#include "contract/request_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/utf8.h"
#include "contract/expect.h"
#include "contract/json_parse.h"
#include "contract/limit_table.h"

namespace glovebox::contract {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;

constexpr std::size_t kShownFieldBytes = 60;

bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) { return is_lower(letter) || (letter >= 'A' && letter <= 'Z'); }

tl::unexpected<Error> refuse(std::string field, std::string message, std::string hint = {}) {
  return base::fail(base::make_error(ErrorCode::invalid_request, std::move(message))
                        .with_field(std::move(field))
                        .with_hint(std::move(hint)));
}

std::string shown(std::string_view text) { return fmt::format("\"{}\"", base::printable(text, kShownFieldBytes)); }

// A lower-case letter, then letters, digits and `extra`.
bool is_name(std::string_view text, std::string_view extra, std::size_t max_bytes) {
  return !text.empty() && text.size() <= max_bytes && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char letter) {
           return is_lower(letter) || is_digit(letter) || extra.find(letter) != extra.npos;
         });
}

Status check_args(const std::vector<std::string>& args) {
  if (args.size() > kMaxArgs) {
    return refuse("args", fmt::format("{} entries, at most {} are allowed", args.size(), kMaxArgs));
  }
  std::size_t total = 0;
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (args[index].find('\0') != std::string::npos) {
      return refuse(join_path("args", index), "an argument cannot hold a NUL byte");
    }
    total += args[index].size() + 1;
  }
  if (total > kMaxArgsBytes) {
    return refuse("args", fmt::format("{} bytes in all, at most {} are allowed", total, kMaxArgsBytes),
                  "pass large data on stdin or as a file");
  }
  return {};
}

Status check_env(const std::map<std::string, std::string>& env) {
  if (env.size() > kMaxEnv) {
    return refuse("env", fmt::format("{} entries, at most {} are allowed", env.size(), kMaxEnv));
  }
  std::size_t total = 0;
  for (const auto& [name, value] : env) {
    const std::string field = join_path("env", name);
    const bool well_formed =
        !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char letter) {
          return is_letter(letter) || is_digit(letter) || letter == '_';
        });
    if (!well_formed) {
      return refuse(field, fmt::format("{} is not a name for an environment variable", shown(name)),
                    "use letters, digits and _, not starting with a digit");
    }
    if (name.starts_with("LD_")) {
      return refuse(field, fmt::format("{} is refused: LD_ variables steer the dynamic loader of every program", name),
                    "put libraries into the image instead");
    }
    if (name.starts_with("GLOVEBOX_")) {
      return refuse(field, fmt::format("{} is refused: GLOVEBOX_ names belong to the sandbox", name),
                    "choose a name without this prefix");
    }
    if (value.find('\0') != std::string::npos) {
      return refuse(field, "a value cannot hold a NUL byte");
    }
    total += name.size() + value.size() + 2;
  }
  if (total > kMaxEnvBytes) {
    return refuse("env", fmt::format("{} bytes in all, at most {} are allowed", total, kMaxEnvBytes),
                  "pass large data on stdin or as a file");
  }
  return {};
}

// Files must be able to stand in one tree: no path twice, no file where another one needs a directory.
Status check_files(const std::vector<InputFile>& files) {
  if (files.size() > kMaxFiles) {
    return refuse("files", fmt::format("{} entries, at most {} are allowed", files.size(), kMaxFiles),
                  "send an archive as one file");
  }
  std::unordered_map<std::string_view, std::size_t> by_path;
  for (std::size_t index = 0; index < files.size(); ++index) {
    const auto [other, added] = by_path.emplace(files[index].path.str(), index);
    if (!added) {
      return refuse(join_path(join_path("files", index), "path"),
                    fmt::format("{} is already the path of files[{}]", shown(files[index].path.str()), other->second));
    }
    const auto* blob = std::get_if<BlobRef>(&files[index].content);
    if (blob != nullptr && !is_sha256_hex(blob->sha256)) {
      return refuse(join_path(join_path("files", index), "blob"), "expected sha256: and 64 lower-case hex digits");
    }
  }
  for (std::size_t index = 0; index < files.size(); ++index) {
    const std::string_view path = files[index].path.str();
    for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      const auto parent = by_path.find(path.substr(0, slash));
      if (parent != by_path.end()) {
        return refuse(join_path(join_path("files", std::max(index, parent->second)), "path"),
                      fmt::format("{} is a file and, for {}, a directory", shown(parent->first), shown(path)));
      }
    }
  }
  return {};
}

Status check_limits(const Limits& limits) {
  for (const LimitField& limit : kLimitTable) {
    const std::uint64_t value = limits.*limit.member;
    if (value < limit.least || value > limit.most) {
      return refuse(join_path("limits", limit.name),
                    fmt::format("expected a whole number from {} to {}, found {}", limit.least, limit.most, value));
    }
  }
  return {};
}

Status check_network(const Network& network) {
  if (network.allow.size() > kMaxNetworkEntries) {
    return refuse("network.allow",
                  fmt::format("{} entries, at most {} are allowed", network.allow.size(), kMaxNetworkEntries));
  }
  for (std::size_t index = 0; index < network.allow.size(); ++index) {
    if (!is_host_and_port(network.allow[index])) {
      return refuse(join_path("network.allow", index), fmt::format("{} is not host:port", shown(network.allow[index])),
                    "write it like example.org:443 or [2001:db8::1]:443");
    }
  }
  return {};
}

Status check_artifacts(const std::vector<std::string>& patterns) {
  if (patterns.size() > kMaxArtifactPatterns) {
    return refuse("artifacts",
                  fmt::format("{} patterns, at most {} are allowed", patterns.size(), kMaxArtifactPatterns));
  }
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    // A pattern has the shape of a path; * and ? stand for parts of names.
    auto path = base::RelPath::parse(patterns[index]);
    if (!path) {
      return refuse(join_path("artifacts", index), std::move(path.error().message),
                    "use a pattern relative to the work directory such as *.png or out/**");
    }
  }
  return {};
}

bool is_dns_name(std::string_view host) {
  if (host.empty() || host.size() > 253) {
    return false;
  }
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = host.find('.', start);
    const std::string_view label = host.substr(start, dot == host.npos ? dot : dot - start);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
        !std::all_of(label.begin(), label.end(),
                     [](char letter) { return is_letter(letter) || is_digit(letter) || letter == '-'; })) {
      return false;
    }
    if (dot == host.npos) {
      // A last label of digits would be read as an address by some resolvers, in forms such as 127.1.
      return !is_digit(label.front());
    }
    start = dot + 1;
  }
}

bool is_address(int family, std::string_view host) {
  in6_addr address{};
  return inet_pton(family, std::string(host).c_str(), &address) == 1;
}

}  // namespace

bool is_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || text.size() > 300 || text.find('\0') != text.npos) {
    return false;
  }
  const std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, problem] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (problem != std::errc() || end != port_text.data() + port_text.size() || port < 1 || port > 65535 ||
      port_text.front() == '0') {
    return false;
  }
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') && is_address(AF_INET6, host.substr(1, host.size() - 2));
  }
  return is_dns_name(host) || is_address(AF_INET, host);
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char letter) {
           return is_digit(letter) || (letter >= 'a' && letter <= 'f');
         });
}

bool is_language_name(std::string_view text) { return is_name(text, "_+-", 32); }

Status check_request_rules(const RunRequest& request) {
  if (!is_language_name(request.language)) {
    return refuse("language", fmt::format("{} is not a language name", shown(request.language)),
                  "use a name such as python, javascript or bash");
  }
  TRY_STATUS(check_args(request.args));
  TRY_STATUS(check_env(request.env));
  TRY_STATUS(check_files(request.files));
  TRY_STATUS(check_limits(request.limits));
  TRY_STATUS(check_network(request.network));
  if (!is_name(request.policy, "_-", 64)) {
    return refuse("policy", fmt::format("{} is not a policy name", shown(request.policy)),
                  "use lower-case letters, digits, _ and -, at most 64");
  }
  TRY_STATUS(check_artifacts(request.artifacts));
  if (request.idempotency_key) {
    const std::string& key = *request.idempotency_key;
    const bool printable =
        std::all_of(key.begin(), key.end(), [](char letter) { return letter >= 0x20 && letter <= 0x7e; });
    if (key.empty() || key.size() > kMaxIdempotencyKeyBytes || !printable) {
      return refuse("idempotency_key", "expected 1 to 128 printable ASCII characters");
    }
  }
  return {};
}

Status check_run_request(const RunRequest& request) {
  TRY_STATUS(check_request_rules(request));
  if (request.input_json) {
    TRY_STATUS(compact_json(*request.input_json, "input"));
  }
  if (request.expect_json) {
    TRY_STATUS(check_expect(*request.expect_json));
  }
  return {};
}

Status check_expect(std::string_view json) {
  TRY_STATUS(parse_expect(json));
  return {};
}

}  // namespace glovebox::contract
