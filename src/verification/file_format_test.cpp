#include "verification/file_format.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "contract/expect.h"
#include "verification/inflation.h"
#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<FileFacts> read(std::string_view format, std::string_view bytes) {
  WorkBudget budget = unhurried_budget();
  return find_file_format(format)->read(bytes, budget);
}

std::string refusal(std::string_view format, std::string_view bytes) {
  const auto facts = read(format, bytes);
  return facts ? "accepted" : facts.error().message;
}

// Every prefix is refused, and no changed byte makes it crash.
void expect_fragile(std::string_view format, const std::string& good) {
  ASSERT_EQ(refusal(format, good), "accepted");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal(format, good.substr(0, size)), "accepted") << format << " cut at " << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      (void)refusal(format, bad);
    }
  }
}

std::string big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U), static_cast<char>(number >> 8U),
          static_cast<char>(number)};
}
std::string little_endian(std::uint32_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t index = 0; index < bytes; ++index) {
    text += static_cast<char>(number >> (8 * index));
  }
  return text;
}

std::string deflated(const std::string& bytes, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string chunk(const std::string& kind, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + kind + data + big_endian(crc32_of(kind + data));
}

const std::string kPngStart = "\x89PNG\r\n\x1a\n";

std::string header(std::uint32_t width, std::uint32_t height, char depth, char colour, char interlace = 0) {
  return chunk("IHDR", big_endian(width) + big_endian(height) + depth + colour + std::string(2, '\0') + interlace);
}

std::string png(std::uint32_t width, std::uint32_t height, const std::string& raw) {
  return kPngStart + header(width, height, 8, 2) + chunk("IDAT", deflated(raw, 15)) + chunk("IEND", "");
}

TEST(FileFormat, PngMustHoldItsPixels) {
  const std::string rows(2 * (1 + 3 * 3), '\0');
  const auto facts = read("png", png(3, 2, rows));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->width, 3U);
  EXPECT_EQ(facts->height, 2U);
  expect_fragile("png", png(3, 2, rows));
  EXPECT_THAT(refusal("png", png(3, 2, rows.substr(1))), HasSubstr("bytes of pixels"));
  EXPECT_THAT(refusal("png", png(3, 2, rows + "x")), HasSubstr("more data than announced"));
  EXPECT_THAT(refusal("png", png(3, 2, "\x05" + rows.substr(1))), HasSubstr("no rows of pixels"));
  EXPECT_THAT(refusal("png", png(3, 2, rows) + "x"), HasSubstr("behind the end"));
  EXPECT_THAT(refusal("png", kPngStart + header(3, 2, 8, 2) + chunk("IEND", "")), HasSubstr("no image data"));
  EXPECT_THAT(refusal("png", kPngStart + header(3, 2, 8, 3) + chunk("IDAT", "") + chunk("IEND", "")),
              HasSubstr("no palette"));
  EXPECT_THAT(refusal("png", kPngStart + header(3, 2, 3, 2) + chunk("IEND", "")), HasSubstr("no image"));
  EXPECT_THAT(refusal("png", kPngStart + header(3, 2, 8, 2) + chunk("ABCD", "") + chunk("IEND", "")),
              HasSubstr("unknown"));
  std::string wrong_crc = png(3, 2, rows);
  wrong_crc[30] ^= 1;
  EXPECT_THAT(refusal("png", wrong_crc), HasSubstr("wrong CRC"));
}

TEST(FileFormat, EmptyPiecesOfAPngTakeMemory) {
  std::string image = kPngStart + header(3, 2, 8, 2);
  const std::string nothing = chunk("IDAT", "");
  for (int index = 0; index < 100'000; ++index) {
    image += nothing;
  }
  image += chunk("IDAT", deflated(std::string(20, '\0'), 15)) + chunk("IEND", "");
  EXPECT_EQ(refusal("png", image), "accepted");
  WorkBudget budget = unhurried_budget();
  ASSERT_TRUE(budget.hold(budget.memory_left() - (1U << 20U)));
  const auto facts = read_png(image, budget);
  EXPECT_THAT(facts ? "accepted" : facts.error().message, HasSubstr("256 MiB"));
}

TEST(FileFormat, PngInterlacedHasSevenPasses) {
  // 5 × 5 pixels of one byte: passes of 1×1, 1×1, 2×1, 1×2... with their filter bytes.
  std::size_t bytes = 0;
  for (const auto& [columns, rows] : {std::pair{1, 1}, {1, 1}, {2, 1}, {1, 2}, {3, 1}, {2, 3}, {5, 2}}) {
    bytes += static_cast<std::size_t>((columns + 1) * rows);
  }
  const std::string image =
      kPngStart + header(5, 5, 8, 0, 1) + chunk("IDAT", deflated(std::string(bytes, '\0'), 15)) + chunk("IEND", "");
  EXPECT_EQ(refusal("png", image), "accepted");
}

TEST(FileFormat, PngOfHugeSizeIsRefusedBeforeItIsDecoded) {
  for (const std::uint32_t size : {0x80000000U, 0U}) {
    EXPECT_THAT(refusal("png", png(size, 1, "")), HasSubstr("pixels"));
  }
  EXPECT_THAT(refusal("png", png(0x7fffffffU, 0x7fffffffU, std::string(1000, '\0'))),
              HasSubstr("too many to be checked"));
}

std::string jpeg_segment(char marker, const std::string& body) {
  const auto size = static_cast<std::uint32_t>(body.size() + 2);
  return std::string("\xFF") + marker + static_cast<char>(size >> 8U) + static_cast<char>(size) + body;
}

TEST(FileFormat, JpegIsWalkedFromStartToEnd) {
  const std::string frame = jpeg_segment('\xC0', std::string("\x08\x00\x10\x00\x20\x01\x01\x11\x00", 9));
  const std::string scan = jpeg_segment('\xDA', std::string("\x01\x01\x00\x00\x3f\x00", 6)) +
                           std::string("data\xFF\x00more\xFF\xD0rest", 15);
  const std::string good = "\xFF\xD8" + jpeg_segment('\xE0', "JFIF") + frame + scan + "\xFF\xD9";
  const auto facts = read("jpeg", good);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->width, 32U);
  EXPECT_EQ(facts->height, 16U);
  expect_fragile("jpeg", good);
  EXPECT_THAT(refusal("jpeg", "\xFF\xD8" + scan + "\xFF\xD9"), HasSubstr("before the frame"));
  EXPECT_THAT(refusal("jpeg", "\xFF\xD8" + frame + "\xFF\xD9"), HasSubstr("no image data"));
  EXPECT_THAT(refusal("jpeg", good + "x"), HasSubstr("behind the end"));
  EXPECT_THAT(refusal("jpeg", "GIF89a"), HasSubstr("begin"));
}

TEST(FileFormat, SvgIsWellFormedXmlWithoutEntities) {
  const auto facts =
      read("svg",
           "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">\n"
           "<!-- note --><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"460.8pt\" height=\"345.6pt\"><g "
           "id='a'>&amp;&#x41;<path d=\"M0\"/></g><![CDATA[<x>]]></svg>\n");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->width, 614U);
  EXPECT_EQ(facts->height, 461U);
  EXPECT_EQ(read("svg", "<svg viewBox=\"0 0 64 48\"/>")->width, 64U);
  EXPECT_EQ(read("svg", "<svg width=\"100%\"/>")->width, std::nullopt);
  EXPECT_EQ(refusal("svg", "<?xml version=\"1.0\"?><?xml-stylesheet href=\"a\"?><svg>\t\r\n<?xmlish?></svg>"),
            "accepted");
  const std::pair<const char*, const char*> kBad[] = {
      {"<svg>", "not closed"},
      {"<svg>\x01\x02</svg>", "does not have"},
      {"<svg>\n<a b='\x1b'/></svg>", "line 2: a character"},
      {"<svg>\xEF\xBF\xBF</svg>", "does not have"},
      {"<svg><?xml version='1.0'?></svg>", "out of place"},
      {"<svg><?XML x?></svg>", "out of place"},
      {"<svg></g>", "closes nothing"},
      {"<svg/><svg/>", "second root"},
      {"<html/>", "root element is <html>"},
      {"<svg>&lol;</svg>", "known character"},
      {"<svg>&#0;</svg>", "known character"},
      {"<svg a=\"1\" a=\"2\"/>", "twice"},
      {"<svg a=1/>", "without quotes"},
      {"<svg a/>", "without a value"},
      {"<svg a=\"<\"/>", "< inside"},
      {"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>", "declarations of its own"},
      {"text<svg/>", "outside of the root"},
      {"<svg><!-- a -- b --></svg>", "inside a comment"},
      {"<?xml version=\"1.0\" encoding=\"utf-16\"?><svg/>", "encoding"},
      {"", "no element"},
      {"<svg", "damaged"},
      {"<svg>\xff</svg>", "UTF-8"},
  };
  for (const auto& [text, why] : kBad) {
    EXPECT_NE(refusal("svg", text), "accepted") << text;
    if (std::string(text) != "<svg") {
      EXPECT_THAT(refusal("svg", text), HasSubstr(why)) << text;
    }
  }
  std::string deep = "<svg>";
  for (int index = 0; index < 1000; ++index) {
    deep += "<g>";
  }
  EXPECT_THAT(refusal("svg", deep), HasSubstr("too deep"));
}

TEST(FileFormat, HtmlCanBeCutIntoTagsToItsEnd) {
  for (const char* good : {"<!doctype html><p>hi", "<html><body>a < b<br><img alt=\"x>y\"></body></html>",
                           "<body><script>if (a</b/.test(x)) '<p'</script></body>",
                           "<HTML><head><title>&</title></head>", "<html><a href=x>it's</a>"}) {
    EXPECT_EQ(refusal("html", good), "accepted") << good;
  }
  for (const char* bad : {"", "plain text", "<p>only a paragraph</p>", "<html><p", "<html><!-- never closed",
                          "<html><a href=\"x>", "<html><script>never closed", "<html>\xff"}) {
    EXPECT_NE(refusal("html", bad), "accepted") << bad;
  }
}

// A catalogue, a node with `pages` leaves, and a plain table. `announced` is what it says about itself.
std::string pdf(int pages, const std::string& extra = "", std::optional<int> announced = {}) {
  std::string text = "%PDF-1.4\n";
  std::vector<std::size_t> places;
  const auto object = [&](const std::string& body) {
    places.push_back(text.size());
    text += fmt::format("{} 0 obj\n{}\nendobj\n", places.size(), body);
  };
  std::string kids;
  for (int page = 0; page < pages; ++page) {
    kids += fmt::format("{} 0 R ", page + 3);
  }
  object("<< /Type /Catalog /PageMode /UseNone /Pages 2 0 R >>");
  object(fmt::format("<< /Type /Pages /Kids [{}] /Count {} >>", kids, announced.value_or(pages)));
  for (int page = 0; page < pages; ++page) {
    object("<< /Type /Page /Parent 2 0 R /Title (a \\) text (nested)) /MediaBox [0 0 612.0 792] >>");
  }
  const std::size_t table = text.size();
  text += fmt::format("xref\n0 {}\n0000000000 65535 f \n", places.size() + 1);
  for (const std::size_t place : places) {
    text += fmt::format("{:010} 00000 n \n", place);
  }
  return text +
         fmt::format("trailer\n<< /Size {} /Root 1 0 R {}>>\nstartxref\n{}\n%%EOF\n", places.size() + 1, extra, table);
}

TEST(FileFormat, PdfLeadsFromItsEndToItsPages) {
  const auto facts = read("pdf", pdf(7));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->pages, 7U);
  EXPECT_THAT(refusal("pdf", "%PDF-1.4\nhello"), HasSubstr("%%EOF"));
  EXPECT_THAT(refusal("pdf", pdf(1).substr(1)), HasSubstr("begin"));
  EXPECT_THAT(refusal("pdf", pdf(1, "/Prev 99999999")), HasSubstr("outside"));
  std::string moved = pdf(1);
  moved.insert(moved.find("1 0 obj"), " junk ");
  EXPECT_NE(refusal("pdf", moved), "accepted");
  const std::string good = pdf(1);
  for (std::size_t size = 0; size + 2 < good.size(); ++size) {
    EXPECT_NE(refusal("pdf", good.substr(0, size)), "accepted") << size;
  }
  const std::size_t table = good.find("xref");
  EXPECT_THAT(refusal("pdf", pdf(1, fmt::format("/Prev {}", table))), HasSubstr("circle"));
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos);
  EXPECT_EQ(what.size(), by.size()) << "the places of the objects must stay";
  return text.replace(at, what.size(), by);
}

TEST(FileFormat, PdfPagesAreCountedNotBelieved) {
  EXPECT_THAT(refusal("pdf", pdf(0, "", 10)), HasSubstr("0 pages, and says another number"));
  EXPECT_THAT(refusal("pdf", pdf(3, "", 2)), HasSubstr("3 pages"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(2), "[3 0 R 4 0 R ]", "[3 0 R 3 0 R ]")), HasSubstr("circle"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(2), "[3 0 R 4 0 R ]", "[3 0 R 2 0 R ]")), HasSubstr("circle"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(2), "[3 0 R 4 0 R ]", "[3 0 R 1 0 R ]")), HasSubstr("damaged"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(2), "[3 0 R 4 0 R ]", "[3 0 R 9 0 R ]")), HasSubstr("damaged"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(1), "/Type /Catalog", "/Type /Nothing")), HasSubstr("catalogue"));
  EXPECT_THAT(refusal("pdf", replaced(pdf(1), "/Kids", "/Type")), HasSubstr("twice"));
}

std::string deflated(const std::string& text) {
  std::string packed(compressBound(text.size()), '\0');
  uLongf size = packed.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     text.size()),
            Z_OK);
  packed.resize(size);
  return packed;
}

std::string big_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int index = bytes - 1; index >= 0; --index) {
    text += static_cast<char>(number >> (8 * index));
  }
  return text;
}

// The form of PDF 1.5: catalogue, pages and the one page packed in stream 4, the table packed in stream 5 whose rows
// say how they differ from the row above.
std::string packed_pdf(int announced = 1, std::uint64_t stream_of_page = 4) {
  const std::string objects[] = {"<</Type/Catalog/Pages 2 0 R>>",
                                 fmt::format("<</Type/Pages/Kids[3 0 R]/Count {}>>", announced),
                                 "<</Type/Page/Parent 2 0 R>>"};
  std::string header;
  std::string body;
  for (int index = 0; index < 3; ++index) {
    header += fmt::format("{} {} ", index + 1, body.size());
    body += objects[index] + " ";
  }
  std::string text = "%PDF-1.5\n";
  const auto stream = [&](int number, const std::string& entries, const std::string& content) {
    const std::size_t place = text.size();
    text += fmt::format("{} 0 obj\n<<{}/Filter/FlateDecode/Length {}>>\nstream\r\n", number, entries, content.size());
    text += content + "\nendstream\nendobj\n";
    return place;
  };
  const std::size_t fourth =
      stream(4, fmt::format("/Type/ObjStm/N 3/First {}", header.size()), deflated(header + body) + "\n");
  const std::size_t fifth = text.size();
  const auto row = [](std::uint64_t kind, std::uint64_t place, std::uint64_t index) {
    return big_endian(kind, 1) + big_endian(place, 2) + big_endian(index, 1);
  };
  const std::string rows[] = {row(0, 0, 0),      row(2, 4, 0),    row(2, 4, 1), row(2, stream_of_page, 2),
                              row(1, fourth, 0), row(1, fifth, 0)};
  std::string filtered;
  std::string above(4, '\0');
  for (const std::string& each : rows) {
    filtered += '\2';
    for (std::size_t index = 0; index < each.size(); ++index) {
      filtered += static_cast<char>(each[index] - above[index]);
    }
    above = each;
  }
  stream(5, "/Type/XRef/Size 6/W[1 2 1]/Root 1 0 R/DecodeParms<</Predictor 12/Columns 4>>", deflated(filtered));
  return text + fmt::format("startxref\n{}\n%%EOF\n", fifth);
}

TEST(FileFormat, PdfWithPackedTableAndObjectsTellsItsPagesToo) {
  const auto facts = read("pdf", packed_pdf());
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->pages, 1U);
  EXPECT_THAT(refusal("pdf", packed_pdf(2)), HasSubstr("1 pages"));
  EXPECT_NE(refusal("pdf", packed_pdf(1, 5)), "accepted") << "not in that stream";
  EXPECT_NE(refusal("pdf", packed_pdf(1, 3)), "accepted") << "no such stream";
  const std::string good = packed_pdf();
  for (std::size_t size = 0; size + 2 < good.size(); ++size) {
    EXPECT_NE(refusal("pdf", good.substr(0, size)), "accepted") << size;
  }
  // One wrong bit in what is packed is found by the checksum at its end.
  std::string broken = good;
  broken[good.find("stream\r\n") + 20] ^= 1;
  EXPECT_NE(refusal("pdf", broken), "accepted");
}

TEST(FileFormat, PdfInNameOnlyIsNone) {
  EXPECT_NE(refusal("pdf", "%PDF-1.7\n1 0 obj /XRef/Root stream\nstartxref\n9\n%%EOF"), "accepted");
  EXPECT_NE(refusal("pdf",
                    "%PDF-1.5\n5 0 obj\n<< /Type /XRef /Root 1 0 R /W [1 2 1] >>\nstream\n\nendstream\nendobj\n"
                    "startxref\n9\n%%EOF"),
            "accepted");
}

struct ZipEntry {
  std::string name, content;
  int method = 8;
  std::uint32_t claimed = 0;  // instead of the real size
  std::uint32_t crc = 0;      // added to the real one
};

std::string zip(const std::vector<ZipEntry>& entries) {
  std::string text;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string packed = entry.method == 8 ? deflated(entry.content, -15) : entry.content;
    const std::uint32_t size = entry.claimed != 0 ? entry.claimed : static_cast<std::uint32_t>(entry.content.size());
    const std::string middle = little_endian(0, 2) + little_endian(static_cast<std::uint32_t>(entry.method), 2) +
                               little_endian(0, 4) + little_endian(crc32_of(entry.content) + entry.crc, 4) +
                               little_endian(static_cast<std::uint32_t>(packed.size()), 4) + little_endian(size, 4) +
                               little_endian(static_cast<std::uint32_t>(entry.name.size()), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 4) + middle + little_endian(0, 2) + std::string(8, '\0') +
                 little_endian(static_cast<std::uint32_t>(text.size()), 4) + entry.name;
    text += "PK\x03\x04" + little_endian(20, 2) + middle + entry.name + packed;
  }
  const auto count = static_cast<std::uint32_t>(entries.size());
  return text + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(count, 2) + little_endian(count, 2) +
         little_endian(static_cast<std::uint32_t>(directory.size()), 4) +
         little_endian(static_cast<std::uint32_t>(text.size()), 4) + little_endian(0, 2);
}

TEST(FileFormat, ZipIsUnpackedAndCompared) {
  const std::string good = zip({{"a.txt", "hello hello hello"}, {"dir/b.bin", "stored", 0}});
  EXPECT_EQ(refusal("zip", good), "accepted");
  EXPECT_EQ(refusal("zip", zip({})), "accepted");
  expect_fragile("zip", good);
  EXPECT_THAT(refusal("zip", zip({{"a", "x", 0, 0, 1}})), HasSubstr("wrong CRC"));
  EXPECT_THAT(refusal("zip", zip({{"a", "hello", 8, 4}})), HasSubstr("more data than announced"));
  EXPECT_THAT(refusal("zip", zip({{"a", "hello", 8, 6}})), HasSubstr("another size"));
  EXPECT_THAT(refusal("zip", zip({{"a", "x", 12}})), HasSubstr("method 12"));
  EXPECT_THAT(refusal("zip", "PK"), HasSubstr("no central directory"));
}

TEST(FileFormat, ZipBombsAreNotUnpacked) {
  EXPECT_THAT(refusal("zip", zip({{"bomb", std::string(1000, 'a'), 8, 0xF0000000U}})),
              HasSubstr("too many to be checked"));
  std::string shared = zip({{"a", "same bytes"}, {"a", "same bytes"}});
  // Both entries of the directory lead to the first one.
  const std::size_t second = shared.rfind("PK\x01\x02");
  shared.replace(second + 42, 4, std::string(4, '\0'));
  EXPECT_THAT(refusal("zip", shared), HasSubstr("share their bytes"));
}

// Thrift's compact protocol, as much as a footer needs.
std::string varint(std::uint64_t number) {
  std::string text;
  for (; number >= 0x80; number >>= 7U) {
    text += static_cast<char>((number & 0x7FU) | 0x80U);
  }
  return text + static_cast<char>(number);
}
std::string integer(int delta, char type, std::int64_t number) {
  return std::string(1, static_cast<char>((delta << 4) | type)) + varint(static_cast<std::uint64_t>(number) << 1U);
}
std::string string_field(int delta, const std::string& text) {
  return std::string(1, static_cast<char>((delta << 4) | 8)) + varint(text.size()) + text;
}
std::string list_field(int delta, const std::vector<std::string>& structs) {
  std::string text =
      std::string(1, static_cast<char>((delta << 4) | 9)) + static_cast<char>((structs.size() << 4U) | 12U);
  for (const std::string& each : structs) {
    text += each + '\0';
  }
  return text;
}

struct ParquetShape {
  std::int64_t rows = 5;
  std::int64_t group_rows = 5;
  std::int64_t offset = 4;
  std::int64_t children = 2;
};

std::string parquet(const ParquetShape& shape = {}) {
  const std::string data(40, 'd');
  const std::string root = string_field(4, "schema") + integer(1, 5, shape.children);
  const auto leaf = [](const std::string& name) { return integer(1, 5, 1) + integer(2, 5, 1) + string_field(1, name); };
  // ColumnMetaData: packed bytes (7), data page (9).
  const std::string metadata = integer(7, 6, 20) + integer(2, 6, shape.offset) + '\0';
  const std::string column = integer(2, 6, 4) + std::string(1, static_cast<char>((1 << 4) | 12)) + metadata;
  const std::string group = list_field(1, {column, column}) + integer(1, 6, 40) + integer(1, 6, shape.group_rows);
  const std::string footer = integer(1, 5, 1) + list_field(1, {root, leaf("id"), leaf("name")}) +
                             integer(1, 6, shape.rows) + list_field(1, {group}) + '\0';
  return "PAR1" + data + footer + little_endian(static_cast<std::uint32_t>(footer.size()), 4) + "PAR1";
}

TEST(FileFormat, ParquetsFooterFitsTogether) {
  const auto facts = read("parquet", parquet());
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->rows, 5U);
  EXPECT_THAT(*facts->columns, ElementsAre("id", "name"));
  expect_fragile("parquet", parquet());
  EXPECT_THAT(refusal("parquet", parquet({.rows = 6})), HasSubstr("5 rows, the file says 6"));
  EXPECT_THAT(refusal("parquet", parquet({.offset = 1000})), HasSubstr("outside of the file"));
  EXPECT_THAT(refusal("parquet", parquet({.children = 3})), HasSubstr("tree of columns"));
  EXPECT_THAT(refusal("parquet", "PAR1PAR1PAR1"), HasSubstr("footer"));
  WorkBudget budget = unhurried_budget();
  ASSERT_TRUE(budget.hold(budget.memory_left() - 1'000));
  EXPECT_THAT(read_parquet(parquet(), budget).error().message, HasSubstr("256 MiB")) << "what is read takes memory";
}

TEST(FileFormat, EveryFormatOfTheContractHasAReader) {
  std::vector<std::string_view> names;
  for (const FileFormat& format : file_formats()) {
    names.push_back(format.name);
  }
  EXPECT_THAT(names, ::testing::ElementsAreArray(contract::artifact_format_names()));
}

// Fuzzing finds its way from these into the depth of a format; from noise it would not.
TEST(FileFormat, WhatFuzzingStartsFromIsValid) {
  std::size_t files = 0;
  for (const auto& seed : std::filesystem::directory_iterator(GLOVEBOX_SOURCE_DIR "/fuzz/seeds/formats")) {
    std::ifstream file(seed.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_FALSE(content.empty()) << seed.path();
    const auto formats = file_formats();
    const FileFormat& format = formats[static_cast<unsigned char>(content[0]) % formats.size()];
    EXPECT_EQ(refusal(format.name, content.substr(1)) == "accepted", seed.path().filename() != "pdf_length_in_itself")
        << seed.path() << " as " << format.name;
    ++files;
  }
  EXPECT_GE(files, 11U);
}

TEST(FileFormat, TablesTellRowsAndColumns) {
  EXPECT_EQ(read("csv", "a,b\n1,2\n")->rows, 1U);
  EXPECT_THAT(*read("tsv", "a\tb,c\n1\t2\n")->columns, ElementsAre("a", "b,c"));
  EXPECT_EQ(read("json", R"([{"b":1,"a":2},{"a":3,"b":4}])")->rows, 2U);
  EXPECT_THAT(*read("json", R"([{"b":1,"a":2},{"a":3,"b":4}])")->columns, ElementsAre("a", "b"));
  EXPECT_EQ(read("json", R"([{"b":1},{"a":3}])")->columns, std::nullopt);
  EXPECT_EQ(read("json", R"({"a":1})")->rows, std::nullopt);
  EXPECT_EQ(read("jsonl", "1\n2\n3")->rows, 3U);
  EXPECT_THAT(refusal("jsonl", "1\n\n2\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("json", "{\"a\":}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("json", "{\"a\":1,\"a\":2}"), HasSubstr("twice"));
  EXPECT_EQ(refusal("text", "naïve"), "accepted");
  EXPECT_NE(refusal("text", "\xff"), "accepted");
}

TEST(FileFormat, NestedAndHugeJsonIsRefusedInLittleSpace) {
  EXPECT_THAT(refusal("json", std::string(1 << 20, '[')), HasSubstr("nested deeper than 200"));
  std::string wide = "[0";
  for (int index = 0; index < 1'000'001; ++index) {
    wide += ",0";
  }
  EXPECT_THAT(refusal("json", wide + "]"), HasSubstr("more than 1000000 values"));
  std::string lines;
  for (int index = 0; index < 600'000; ++index) {
    lines += "[0]\n";
  }
  EXPECT_THAT(refusal("jsonl", lines), HasSubstr("more than 1000000 values"));
}

}  // namespace
}  // namespace glovebox::verification
