#include "redaction/configured_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/base64.h"

namespace glovebox::redaction {
namespace {

TEST(ConfiguredForms, IncludeWhatProgramsMakeOfAValue) {
  const auto forms = forms_of("p/w \"1\"");
  EXPECT_EQ(forms.front(), "p/w \"1\"");
  EXPECT_THAT(forms, testing::IsSupersetOf({"p%2Fw%20%221%22", "p%2fw%20%221%22", "p%2Fw+%221%22", "p/w%20%221%22",
                                            "p/w \\\"1\\\"", "p\\/w \\\"1\\\"",
                                            "702f772022312"  // hexadecimal
                                            "2"}));
}

TEST(ConfiguredForms, ABase64FormStandsInEveryLongerTextThatHoldsTheValue) {
  const std::string value = "correct-horse-9";
  const auto forms = forms_of(value);
  for (const std::string before : {"", "a", "ab", "abc", "user:"}) {
    for (const std::string after : {"", "x", "xy", "xyz"}) {
      const std::string encoded = contract::encode_base64(before + value + after);
      EXPECT_TRUE(std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
        return encoded.find(form) != std::string::npos;
      })) << encoded;
    }
  }
}

TEST(ConfiguredForms, AreDifferentFromEachOther) {
  auto forms = forms_of("plain-value");
  const std::size_t all = forms.size();
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  EXPECT_EQ(forms.size(), all);
}

}  // namespace
}  // namespace glovebox::redaction
