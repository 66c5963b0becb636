// How much is found, and how much is found that is none: tests/redaction, counted.
//
// Recall: secrets of which nothing is left, over all secrets. Precision: true notices over all notices. A miss in the
// corpus is a failure by itself; the hold-out cases were written when the rules were done, nobody mended a rule for
// them, and only their bar is held.
#include <fmt/format.h>

#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

// Just below what was measured when the cases were new: they guard against getting worse and promise nothing else.
constexpr double kHoldOutRecall = 0.75;
constexpr double kHoldOutPrecision = 0.95;

struct Figures {
  std::size_t secrets = 0;
  std::size_t found = 0;
  std::size_t by_name = 0;  // of the secrets: those that only a name gives away
  std::size_t by_name_found = 0;
  std::size_t harmless = 0;  // texts without a secret
  std::size_t false_notices = 0;
  [[nodiscard]] double recall() const { return static_cast<double>(found) / static_cast<double>(secrets); }
  [[nodiscard]] double precision() const {
    return static_cast<double>(found) / static_cast<double>(found + false_notices);
  }
};

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::size_t notices(std::string_view text) { return occurrences(text, "[redacted:"); }

// `complain` is called with a sentence for each text that did not come out as expected.
template <typename Complain>
Figures measure(const std::string& folder, const Complain& complain) {
  Figures figures;
  for (const std::string kind : {"/secrets", "/harmless"}) {
    for (const Case& one : read_cases(folder + kind)) {
      const std::string stored = redacted(one.text);
      std::size_t gone = 0;
      for (std::size_t index = 0; index < one.secrets.size(); ++index) {
        const std::string& secret = one.secrets[index];
        // As in amqp://guest:guest@…, the same letters may stand for something else too.
        const bool is_gone = occurrences(stored, secret) < occurrences(one.text, secret);
        const bool by_name = one.rules[index] == "password" || one.rules[index] == "secret_value";
        gone += is_gone ? 1 : 0;
        figures.by_name += by_name ? 1 : 0;
        figures.by_name_found += by_name && is_gone ? 1 : 0;
      }
      const std::size_t made_notices = notices(stored) - std::min(notices(stored), notices(one.text));
      figures.secrets += one.secrets.size();
      figures.found += gone;
      figures.harmless += one.secrets.empty() ? 1 : 0;
      figures.false_notices += made_notices - std::min(made_notices, gone);
      if (stored != one.expected) {
        complain(fmt::format("{}\n  text:     {}\n  expected: {}\n  stored:   {}", one.where, one.text, one.expected,
                             stored));
      }
      EXPECT_EQ(redacted(stored), stored) << one.where << ": twice is not once";
    }
  }
  fmt::print("{}: {} of {} secrets found (recall {:.3f}), {} false notices in {} harmless texts (precision {:.3f})\n",
             folder, figures.found, figures.secrets, figures.recall(), figures.false_notices, figures.harmless,
             figures.precision());
  fmt::print("{}: {} of {} with a format of their own, {} of {} known by a name only\n", folder,
             figures.found - figures.by_name_found, figures.secrets - figures.by_name, figures.by_name_found,
             figures.by_name);
  return figures;
}

TEST(Corpus, EverySecretIsFoundAndNothingElse) {
  const Figures figures = measure("corpus", [](const std::string& text) { ADD_FAILURE() << text; });
  EXPECT_GE(figures.secrets, 150U);
  EXPECT_GE(figures.harmless, 300U);
  EXPECT_EQ(figures.found, figures.secrets);
  EXPECT_EQ(figures.false_notices, 0U);
}

TEST(Corpus, HoldOutCasesKeepTheirFigures) {
  const Figures figures =
      measure("holdout", [](const std::string& text) { fmt::print("not as expected: {}\n", text); });
  EXPECT_GE(figures.secrets, 60U);
  EXPECT_GE(figures.harmless, 100U);
  EXPECT_GE(figures.recall(), kHoldOutRecall);
  EXPECT_GE(figures.precision(), kHoldOutPrecision);
}

TEST(Corpus, WhatIsKnownToBeMissedStillIs) {
  for (const Case& one : read_cases("known_misses")) {
    EXPECT_EQ(redacted(one.text), one.text) << one.where << ": found after all; it belongs into the corpus";
  }
}

}  // namespace
}  // namespace glovebox::redaction
