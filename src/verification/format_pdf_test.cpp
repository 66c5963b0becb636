// PDF files whose parts refer to each other in ways that no writer would choose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/file_format.h"
#include "verification/pdf_example.h"
#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kOnePage = {"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                                           "<</Type/Page>>"};

std::string refusal(const std::string& bytes) {
  WorkBudget budget = unhurried_budget();
  const auto facts = read_pdf(bytes, budget);
  return facts ? "accepted" : facts.error().message;
}

TEST(FormatPdf, AStreamsLengthMayBeAnObjectOfItsOwn) {
  PdfExample pdf;
  pdf.add_object(9, "80");
  pdf.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_THAT(refusal(pdf.finished("1 0 R")), HasSubstr("does not end where it says")) << "80 is not its length";
  PdfExample right;
  right.add_object(9, "95");
  right.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_EQ(refusal(right.finished("1 0 R")), "accepted");
}

TEST(FormatPdf, AStreamWhoseLengthIsPackedInItselfIsRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"null"}, "7 0 R");
  EXPECT_THAT(refusal(pdf.finished("7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, StreamsWithTheLengthsOfEachOtherAreRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"8"}, "8 0 R");
  pdf.add_packed(6, 8, {"8"}, "7 0 R");
  EXPECT_THAT(refusal(pdf.finished("7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ALongRowOfStreamsWithLengthsInTheNextIsRefused) {
  PdfExample pdf;
  for (std::uint64_t each = 0; each < 50'000; ++each) {
    pdf.add_packed(100'000 + each, 200'000 + each, {"10"}, std::to_string(200'001 + each) + " 0 R");
  }
  EXPECT_THAT(refusal(pdf.finished("200000 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ATableWhoseLengthIsPackedIsRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"18"});
  EXPECT_THAT(refusal(pdf.finished("7 0 R", "7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ReferencesInACircleAreRefused) {
  PdfExample packed;
  packed.add_packed(5, 7, {"8 0 R", "7 0 R"});
  EXPECT_THAT(refusal(packed.finished("7 0 R")), HasSubstr("circle"));
  PdfExample length;
  length.add_object(9, "9 0 R");
  length.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_THAT(refusal(length.finished("1 0 R")), HasSubstr("reaches beyond the file")) << "a length is a number";
}

TEST(FormatPdf, NestedValuesAreBounded) {
  for (const std::string open : {"[", "<</A"}) {
    std::string deep;
    for (int index = 0; index < 100'000; ++index) {
      deep += open;
    }
    PdfExample pdf;
    pdf.add_object(1, deep);
    EXPECT_THAT(refusal(pdf.finished("1 0 R")), HasSubstr("damaged"));
  }
}

}  // namespace
}  // namespace glovebox::verification
