#include "engine/supervise/media_type.h"

#include <gtest/gtest.h>

namespace glovebox::engine {
namespace {

TEST(MediaType, GoesByTheNameWhereItSaysSomething) {
  EXPECT_EQ(media_type_of("out.csv", "a,b\n"), "text/csv");
  EXPECT_EQ(media_type_of("plots/figure.PNG", ""), "image/png") << "capitals too";
  EXPECT_EQ(media_type_of("a.tar.gz", ""), "application/gzip") << "the last extension counts";
  EXPECT_EQ(media_type_of("report.html", "plain"), "text/html");
  EXPECT_EQ(media_type_of("rows.jsonl", ""), "application/jsonl");
}

TEST(MediaType, GoesByTheBytesWhereTheNameSaysNothing) {
  EXPECT_EQ(media_type_of("figure", "\x89PNG\r\n\x1a\n...."), "image/png");
  EXPECT_EQ(media_type_of("figure.out", "%PDF-1.7"), "application/pdf");
  EXPECT_EQ(media_type_of("archive.x", std::string("PK\x03\x04", 4)), "application/zip");
}

TEST(MediaType, TellsTextFromBytes) {
  EXPECT_EQ(media_type_of("README", "Grüße\n"), "text/plain");
  EXPECT_EQ(media_type_of("empty", ""), "text/plain");
  EXPECT_EQ(media_type_of("bytes", std::string("a\0b", 3)), "application/octet-stream");
  EXPECT_EQ(media_type_of("latin1", "Gr\xfc\xdf"), "application/octet-stream");
}

TEST(MediaType, ADirectoryWithADotIsNoExtension) {
  EXPECT_EQ(media_type_of("data.csv/values", "1"), "text/plain");
  EXPECT_EQ(media_type_of("x.csv/y.json", "1"), "application/json");
}

}  // namespace
}  // namespace glovebox::engine
