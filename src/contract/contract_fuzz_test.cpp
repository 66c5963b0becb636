// A small fuzzer with a fixed seed, for every build; fuzz/contract_fuzz.cpp is the thorough one.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "contract/test_support.h"

namespace glovebox::contract {
namespace {

class Mutator {
 public:
  Mutator(std::vector<Example> corpus, unsigned seed) : corpus_(std::move(corpus)), random_(seed) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())].text;
    for (std::size_t step = below(4) + 1; step > 0 && !text.empty(); --step) {
      mutate(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  void mutate(std::string& text) {
    static constexpr std::string_view kTokens[] = {
        "{",         "}",
        "[",         "]",
        ",",         ":",
        "\"",        "\\",
        "null",      "true",
        "-",         "0",
        "1e999",     "9999999999999999999999",
        "0.5",       "\\u0000",
        "\\ud800",   "\xff",
        "\"path\":", "\"code\":\"\"",
        "../",       "/",
        "sha256:",   "\n",
        " ",         "LD_",
        "base64",
    };
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, below(8) + 1);
        break;
      case 2:
        text.insert(at, kTokens[below(std::size(kTokens))]);
        break;
      case 3: {  // a piece of another document
        const std::string& other = corpus_[below(corpus_.size())].text;
        const std::size_t from = below(other.size());
        text.insert(at, other.substr(from, below(40)));
        break;
      }
      case 4:
        text.resize(at);
        break;
      case 5:  // digits: the change that most often keeps the text valid
        if (const auto digit = text.find_first_of("0123456789", at); digit != text.npos) {
          text[digit] = static_cast<char>('0' + below(10));
        }
        break;
      default:
        if (const auto letter = text.find_first_of("abcdefghijklmnopqrstuvwxyz", at); letter != text.npos) {
          text[letter] = static_cast<char>('a' + below(26));
        }
    }
  }

  std::vector<Example> corpus_;
  std::mt19937 random_;
};

constexpr int kMutations = 10'000;

template <typename Parse>
void expect_stable(std::string_view kind, Parse parse) {
  Mutator mutator(read_examples(kind), 20240229);
  int accepted = 0;
  for (int round = 0; round < kMutations; ++round) {
    const std::string text = mutator.next();
    const auto value = parse(text);
    if (!value) {
      ASSERT_FALSE(value.error().message.empty()) << base::printable(text, 2000);
      ASSERT_TRUE(base::is_valid_utf8(base::describe(value.error()))) << base::printable(text, 2000);
      continue;
    }
    ++accepted;
    const auto again = parse(to_json(*value));
    ASSERT_TRUE(again.has_value()) << base::printable(text, 2000) << "\n" << base::describe(again.error());
    ASSERT_TRUE(*again == *value) << base::printable(text, 2000);
  }
  // Both ways must be exercised, or the mutator has lost its teeth.
  EXPECT_GT(accepted, kMutations / 50);
  EXPECT_LT(accepted, kMutations / 2);
}

TEST(ContractFuzz, AMutatedRequestIsRefusedOrMakesTheRoundTrip) {
  expect_stable("requests", [](std::string_view text) { return parse_run_request(text); });
}

TEST(ContractFuzz, AMutatedResultIsRefusedOrMakesTheRoundTrip) {
  expect_stable("results", [](std::string_view text) { return parse_run_result(text); });
}

}  // namespace
}  // namespace glovebox::contract
