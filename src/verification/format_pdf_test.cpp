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

// `mebibytes`: the memory that is left for it.
std::string pdf_refusal(const std::string& bytes, std::uint64_t mebibytes = 256) {
  WorkBudget budget = unhurried_budget();
  EXPECT_TRUE(budget.hold(budget.memory_left() - (mebibytes << 20U)));
  const auto facts = read_pdf(bytes, budget);
  return facts ? "accepted" : facts.error().message;
}

TEST(FormatPdf, AStreamsLengthMayBeAnObjectOfItsOwn) {
  PdfExample pdf;
  pdf.add_object(9, "80");
  pdf.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_THAT(pdf_refusal(pdf.finished("1 0 R")), HasSubstr("does not end where it says")) << "80 is not its length";
  PdfExample right;
  right.add_object(9, "95");
  right.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_EQ(pdf_refusal(right.finished("1 0 R")), "accepted");
}

TEST(FormatPdf, AStreamWhoseLengthIsPackedInItselfIsRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"null"}, "7 0 R");
  EXPECT_THAT(pdf_refusal(pdf.finished("7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, StreamsWithTheLengthsOfEachOtherAreRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"8"}, "8 0 R");
  pdf.add_packed(6, 8, {"8"}, "7 0 R");
  EXPECT_THAT(pdf_refusal(pdf.finished("7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ALongRowOfStreamsWithLengthsInTheNextIsRefused) {
  PdfExample pdf;
  for (std::uint64_t each = 0; each < 50'000; ++each) {
    pdf.add_packed(100'000 + each, 200'000 + each, {"10"}, std::to_string(200'001 + each) + " 0 R");
  }
  EXPECT_THAT(pdf_refusal(pdf.finished("200000 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ATableWhoseLengthIsPackedIsRefused) {
  PdfExample pdf;
  pdf.add_packed(5, 7, {"18"});
  EXPECT_THAT(pdf_refusal(pdf.finished("7 0 R", "7 0 R")), HasSubstr("length of a stream"));
}

TEST(FormatPdf, ReferencesInACircleAreRefused) {
  PdfExample packed;
  packed.add_packed(5, 7, {"8 0 R", "7 0 R"});
  EXPECT_THAT(pdf_refusal(packed.finished("7 0 R")), HasSubstr("circle"));
  PdfExample length;
  length.add_object(9, "9 0 R");
  length.add_packed(5, 1, kOnePage, "9 0 R");
  EXPECT_THAT(pdf_refusal(length.finished("1 0 R")), HasSubstr("reaches beyond the file")) << "a length is a number";
}

TEST(FormatPdf, NestedValuesAreBounded) {
  for (const std::string open : {"[", "<</A"}) {
    std::string deep;
    for (int index = 0; index < 100'000; ++index) {
      deep += open;
    }
    PdfExample pdf;
    pdf.add_object(1, deep);
    EXPECT_THAT(pdf_refusal(pdf.finished("1 0 R")), HasSubstr("damaged"));
  }
}

TEST(FormatPdf, ThePlacesOfObjectsTakeMemory) {
  PdfExample pdf;
  for (const std::string& each : kOnePage) {
    pdf.add_object(pdf.count() + 1, each);
  }
  while (pdf.count() < 100'000) {
    pdf.add_object(pdf.count() + 1, "null");
  }
  const std::string text = pdf.finished_plainly("1 0 R");
  EXPECT_THAT(pdf_refusal(text, 4), HasSubstr("256 MiB"));
  EXPECT_EQ(pdf_refusal(text, 16), "accepted");
}

TEST(FormatPdf, PackedObjectsTakeMemoryWhetherOrNotATableNamesThem) {
  std::string head = "1 0 2 30 3 66 ";
  for (int index = 3; index < 100'000; ++index) {
    head += std::to_string(index + 1) + " 0 ";
  }
  PdfExample pdf;
  pdf.add_stream(900, "/Type/ObjStm/N 100000/First " + std::to_string(head.size()),
                 head + kOnePage[0] + " " + kOnePage[1] + " " + kOnePage[2]);
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    pdf.add_row(number, 2, 900);
  }
  const std::string text = pdf.finished("1 0 R");
  EXPECT_THAT(pdf_refusal(text, 4), HasSubstr("256 MiB"));
  EXPECT_EQ(pdf_refusal(text, 16), "accepted");
}

TEST(FormatPdf, PackedObjectsAreCountedOverAllStreams) {
  std::string head;
  for (int index = 0; index < 100'000; ++index) {
    head += std::to_string(index) + " 0 ";
  }
  PdfExample pdf;
  for (std::uint64_t stream = 1; stream <= 6; ++stream) {
    pdf.add_stream(stream, "/Type/ObjStm/N 100000/First " + std::to_string(head.size()), head + "null");
    pdf.add_row(10 + stream, 2, stream);
  }
  EXPECT_THAT(pdf_refusal(pdf.finished("11 0 R")), HasSubstr("more than 500000 objects"));
}

TEST(FormatPdf, PagesThatWereSeenTakeMemory) {
  constexpr std::uint64_t kWidth = 200;
  const auto kids_from = [](std::uint64_t first) {
    std::string kids;
    for (std::uint64_t kid = first; kid < first + kWidth; ++kid) {
      kids += std::to_string(kid) + " 0 R ";
    }
    return kids;
  };
  PdfExample pdf;
  pdf.add_object(1, "<</Type/Catalog/Pages 2 0 R>>");
  pdf.add_object(2, fmt::format("<</Type/Pages/Count {}/Kids[{}]>>", kWidth * kWidth, kids_from(3)));
  for (std::uint64_t node = 0; node < kWidth; ++node) {
    pdf.add_object(3 + node, "<</Type/Pages/Kids[" + kids_from(3 + kWidth * (node + 1)) + "]>>");
  }
  while (pdf.count() < 2 + kWidth + kWidth * kWidth) {
    pdf.add_object(pdf.count() + 1, "<</Type/Page>>");
  }
  const std::string text = pdf.finished_plainly("1 0 R");
  EXPECT_THAT(pdf_refusal(text, 5), HasSubstr("256 MiB"));
  EXPECT_EQ(pdf_refusal(text, 8), "accepted");
}

TEST(FormatPdf, NamesTakeMemory) {
  std::string names;
  for (int index = 0; index < 2'000; ++index) {
    names += "/" + std::string(1'000, 'n');
  }
  PdfExample pdf;
  pdf.add_object(1, "<</Type/Catalog/Pages 2 0 R/Names[" + names + "]>>");
  pdf.add_object(2, kOnePage[1]);
  pdf.add_object(3, kOnePage[2]);
  const std::string text = pdf.finished_plainly("1 0 R");
  EXPECT_THAT(pdf_refusal(text, 2), HasSubstr("256 MiB"));
  EXPECT_EQ(pdf_refusal(text, 8), "accepted");
}

}  // namespace
}  // namespace glovebox::verification
