#include "runner/refusal_blame.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using contract::RunError;

constexpr std::array<std::string_view, 5> kPermissionWords = {
    "permission denied", "permissionerror", "not permitted", "eperm", "eacces",
};

// A refused socket reaches a program as many things: libraries try the next address, and name servers are not reached.
constexpr std::array<std::string_view, 11> kNetworkWords = {
    "name resolution",     "name or service not known", "to resolve", "not resolve",  "getaddrinfo",        "eai_again",
    "network unreachable", "network is unreachable",    "enotfound",  "econnrefused", "connection refused",
};

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return lower;
}

// "Command … returned non-zero exit status 1": why, the command has written to stderr.
bool is_about_a_command(const RunError& error) {
  return error.type.ends_with("CalledProcessError") || error.message.starts_with("Command failed");
}

// Everything that the program said about its end, those errors included that led to the last one.
std::string words_of(const RunError& error, const engine::SupervisionReport& report) {
  constexpr std::size_t kTailBytes = 4096;
  std::string said = error.type + "\n" + error.message + "\n" + error.traceback;
  if (is_about_a_command(error)) {
    const std::string written = report.standard_error.bytes();
    said += written.substr(written.size() - std::min(written.size(), kTailBytes));
  }
  return lowered(said);
}

template <typename Words>
bool speaks_of(const std::string& said, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return said.find(word) != std::string::npos; });
}

bool speaks_of_errno(const std::string& said, int number) {
  const char* name = ::strerrorname_np(number);
  const char* description = ::strerrordesc_np(number);
  return (name != nullptr && said.find(lowered(name)) != std::string::npos) ||
         (description != nullptr && said.find(lowered(description)) != std::string::npos);
}

// Looking up a name begins with a socket to the kernel, AF_NETLINK.
bool refused_network(const contract::Denial& denial) { return denial.what.starts_with("socket("); }

// Only these three come from an error that the language's parser could read.
bool is_readable(const RunError& error) {
  return error.code == ErrorCode::runtime_error || error.code == ErrorCode::import_error ||
         error.code == ErrorCode::syntax_error;
}

}  // namespace

bool failed_for_a_refusal(const engine::SupervisionReport& report, const std::optional<RunError>& program_error) {
  if (report.denials.empty()) {
    return false;
  }
  if (!program_error || !is_readable(*program_error)) {
    return true;
  }
  const std::string said = words_of(*program_error, report);
  return speaks_of(said, kPermissionWords) ||
         std::ranges::any_of(report.refused_with, [&](int number) { return speaks_of_errno(said, number); }) ||
         (std::ranges::any_of(report.denials, refused_network) && speaks_of(said, kNetworkWords));
}

}  // namespace glovebox::runner
