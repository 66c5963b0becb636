#include "cli/api_key.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glovebox::cli {
namespace {

using base::Result;

constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kBase32 = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kSecretLetters = 43;
constexpr std::size_t kIdLetters = 16;
constexpr std::size_t kMaxTenantBytes = 64;

// Every letter equally likely: a byte beyond the last whole multiple is thrown away.
Result<std::string> random_letters(std::size_t count, std::string_view letters) {
  const std::size_t usable = 256 - 256 % letters.size();
  std::string text;
  while (text.size() < count) {
    std::array<unsigned char, 64> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      if (errno == EINTR) {
        continue;
      }
      return base::fail(base::errno_error(base::ErrorCode::internal_error, "", "the kernel gives no random bytes"));
    }
    for (const unsigned char byte : bytes) {
      if (byte < usable && text.size() < count) {
        text += letters[byte % letters.size()];
      }
    }
  }
  return text;
}

}  // namespace

Result<std::string> new_key_secret() { return "gbk_" + TRY(random_letters(kSecretLetters, kBase62)); }

Result<std::string> new_key_id() { return "key_" + TRY(random_letters(kIdLetters, kBase32)); }

bool is_tenant_name(std::string_view name) {
  const auto is_letter_or_digit = [](char byte) { return kBase62.find(byte) != std::string_view::npos; };
  return !name.empty() && name.size() <= kMaxTenantBytes && is_letter_or_digit(name.front()) &&
         is_letter_or_digit(name.back()) && std::all_of(name.begin(), name.end(), [&](char byte) {
           return is_letter_or_digit(byte) || byte == '.' || byte == '_' || byte == '-';
         });
}

}  // namespace glovebox::cli
