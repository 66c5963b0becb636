// PDF: header, end mark, cross-reference tables in either form (plain, or a packed stream) whose every entry leads to
// its object, a catalogue, and from there the tree of pages, counted leaf by leaf. What is on the pages is not looked
// at.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "verification/file_format.h"
#include "verification/pdf_stream.h"
#include "verification/pdf_value.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kTailBytes = 2048;
constexpr std::size_t kMaxObjects = 500'000;
constexpr std::size_t kMaxUpdates = 64;
constexpr std::size_t kMaxReferences = 16;  // from one to the next
constexpr std::size_t kNodeBytes = 48;      // of a sorted container and its allocator, beside what a node is for

// Where an object is: at a place of the file, or packed with others in a stream.
struct Place {
  std::size_t offset = 0;
  std::optional<std::uint64_t> stream;
};

// Objects that are packed together: their numbers, where each begins, and the text of all.
struct PackedObjects {
  std::map<std::uint64_t, std::size_t> starts;
  std::string text;
};

class PdfReader {
 public:
  PdfReader(std::string_view bytes, WorkBudget& budget) : bytes_(bytes), budget_(budget) {}

  Result<FileFacts> read() {
    const bool begins = bytes_.size() > 8 && bytes_.starts_with("%PDF-") && bytes_[6] == '.';
    if (!begins) {
      return refuse("it does not begin like a PDF");
    }
    std::optional<std::uint64_t> table = TRY(find_table());
    std::set<std::uint64_t> seen;
    while (table) {
      if (*table >= bytes_.size()) {
        return refuse("a cross-reference table is outside of the file");
      }
      if (!seen.insert(*table).second || seen.size() > kMaxUpdates) {
        return refuse("its cross-reference tables lead in a circle");
      }
      table = TRY(read_table_at(static_cast<std::size_t>(*table)));
    }
    TRY_STATUS(check_packed_objects());
    FileFacts facts;
    facts.pages = TRY(count_pages());
    return facts;
  }

 private:
  using Kind = PdfValue::Kind;

  Result<std::optional<std::uint64_t>> find_table() {
    constexpr std::string_view kSpace("\0\t\n\f\r ", 6);
    const std::string_view tail = bytes_.substr(bytes_.size() - std::min(bytes_.size(), kTailBytes));
    const std::size_t end = tail.rfind("%%EOF");
    if (end == tail.npos || tail.find_first_not_of(kSpace, end + 5) != tail.npos) {
      return refuse("it does not end with %%EOF");
    }
    const std::size_t mark = tail.rfind("startxref", end);
    PdfParser parser(mark == tail.npos ? std::string_view() : tail.substr(mark + 9, end - mark - 9), budget_);
    const auto offset = parser.take_number();
    if (!offset || *offset >= bytes_.size()) {
      return refuse("startxref does not lead to a cross-reference table");
    }
    return offset;
  }

  // Where the table before this one is, if there is one.
  Result<std::optional<std::uint64_t>> read_table_at(std::size_t at) {
    const std::size_t known = places_.size();
    const auto before = TRY(read_and_forget_table(at));
    return budget_.hold((places_.size() - known) * kPlaceBytes) ? Result<std::optional<std::uint64_t>>(before)
                                                                : refuse(kOutOfMemory);
  }

  // Only the places that it tells stay.
  Result<std::optional<std::uint64_t>> read_and_forget_table(std::size_t at) {
    const MemoryScope scope(budget_);
    PdfParser parser(bytes_.substr(at), budget_);
    const PdfValue trailer = parser.take_word("xref") ? TRY(read_plain_table(parser)) : TRY(read_packed_table(at));
    if (const PdfValue* root = trailer.find("Root"); !root_ && root != nullptr && root->kind == Kind::reference) {
      root_ = *root;
    }
    // A file for old and new readers: what is packed is in a table of its own.
    if (const auto packed = trailer.count("XRefStm"); packed && *packed < bytes_.size()) {
      TRY(read_packed_table(static_cast<std::size_t>(*packed)));
    }
    return trailer.count("Prev");
  }

  Result<PdfValue> read_plain_table(PdfParser& parser) {
    while (!parser.take_word("trailer")) {
      const auto first = parser.take_number();
      const auto count = parser.take_number();
      if (!first || !count || *count > kMaxObjects || *first > kMaxObjects * 16 || !budget_.spend(4)) {
        return refuse("the cross-reference table is damaged");
      }
      for (std::uint64_t index = 0; index < *count; ++index) {
        const auto offset = parser.take_number();
        const auto generation = parser.take_number();
        const bool used = parser.take_word("n");
        if (!offset || !generation || (!used && !parser.take_word("f")) || !budget_.spend(4)) {
          return refuse("the cross-reference table is damaged");
        }
        if (used) {
          TRY_STATUS(add_object(*first + index, *offset));
        }
      }
    }
    PdfValue trailer = TRY(parser.value());
    return trailer.kind == Kind::dictionary ? Result<PdfValue>(std::move(trailer)) : refuse("the trailer is damaged");
  }

  // A stream of entries with three numbers each, whose widths /W tells: kind, offset or stream, generation or index.
  Result<PdfValue> read_packed_table(std::size_t at) {
    auto [dictionary, content] = TRY(read_stream(at, std::nullopt));
    const PdfValue* widths = dictionary.find("W");
    const auto size = dictionary.count("Size");
    if (dictionary.name_of("Type") != "XRef" || widths == nullptr || widths->values.size() != 3 || !size ||
        *size > kMaxObjects) {
      return refuse("startxref does not lead to a cross-reference table");
    }
    std::vector<std::size_t> bytes;
    for (const PdfValue& width : widths->values) {
      if (width.kind != Kind::number || width.number < 0 || width.number > 8) {
        return refuse("the cross-reference table is damaged");
      }
      bytes.push_back(static_cast<std::size_t>(width.number));
    }
    std::vector<std::uint64_t> sections = {0, *size};
    if (const PdfValue* index = dictionary.find("Index"); index != nullptr) {
      sections.clear();
      for (const PdfValue& number : index->values) {
        sections.push_back(number.kind == Kind::number && number.number >= 0 ? static_cast<std::uint64_t>(number.number)
                                                                             : kMaxObjects * 16);
      }
    }
    std::string_view rest = content;
    for (std::size_t section = 0; section < sections.size(); section += 2) {
      if (section + 1 == sections.size() || sections[section] >= kMaxObjects * 16 ||
          sections[section + 1] > kMaxObjects) {
        return refuse("the cross-reference table is damaged");
      }
      for (std::uint64_t index = 0; index < sections[section + 1]; ++index) {
        TRY_STATUS(add_packed_entry(sections[section] + index, bytes, rest));
      }
    }
    return std::move(dictionary);
  }

  Status add_packed_entry(std::uint64_t number, const std::vector<std::size_t>& widths, std::string_view& rest) {
    std::uint64_t fields[] = {1, 0, 0};  // the kind may be left out
    for (std::size_t field = 0; field < widths.size(); ++field) {
      if (rest.size() < widths[field] || !budget_.spend(2)) {
        return refuse("the cross-reference table is damaged");
      }
      fields[field] = widths[field] == 0 ? fields[field] : 0;
      for (const char byte : rest.substr(0, widths[field])) {
        fields[field] = (fields[field] << 8U) | static_cast<unsigned char>(byte);
      }
      rest.remove_prefix(widths[field]);
    }
    if (fields[0] == 1) {
      return add_object(number, fields[1]);
    }
    if (fields[0] == 2) {
      return note(number, Place{0, fields[1]});
    }
    return {};
  }

  Status note(std::uint64_t number, Place place) {
    if (places_.size() >= kMaxObjects) {
      return refuse(fmt::format("more than {} objects", kMaxObjects));
    }
    if (places_.emplace(number, place).second && !budget_.hold(kPlaceBytes)) {  // a later update came first and stays
      return refuse(kOutOfMemory);
    }
    return {};
  }

  Status add_object(std::uint64_t number, std::uint64_t offset) {
    PdfParser parser(offset < bytes_.size() ? bytes_.substr(static_cast<std::size_t>(offset), 64) : "", budget_);
    const auto there = parser.take_number();
    if (!there || *there != number || !parser.take_number() || !parser.take_word("obj")) {
      return refuse(fmt::format("the object {} is not where the cross-reference table says", number));
    }
    return note(number, Place{static_cast<std::size_t>(offset), std::nullopt});
  }

  struct Stream {
    PdfValue dictionary;
    std::string content;
  };
  // `number`: whose object it has to be, if that is known.
  Result<Stream> read_stream(std::size_t at, std::optional<std::uint64_t> number) {
    PdfParser parser(bytes_.substr(at), budget_);
    const auto there = parser.take_number();
    if (!there || (number && *there != *number) || !parser.take_number() || !parser.take_word("obj")) {
      return refuse("startxref does not lead to a cross-reference table");
    }
    PdfValue dictionary = TRY(parser.value());
    if (dictionary.kind != Kind::dictionary || !parser.take_word("stream")) {
      return refuse("a stream is damaged");
    }
    std::size_t start = at + parser.position();
    start += bytes_.substr(start).starts_with("\r\n") ? 2 : bytes_.substr(start).starts_with('\n') ? 1 : 0;
    const PdfValue size = TRY(length_of(dictionary));
    if (size.kind != Kind::number || size.number < 0 ||
        static_cast<std::uint64_t>(size.number) > bytes_.size() - start) {
      return refuse("a stream reaches beyond the file");
    }
    const auto bytes = static_cast<std::size_t>(size.number);
    if (!PdfParser(bytes_.substr(start + bytes), budget_).take_word("endstream")) {
      return refuse("a stream does not end where it says");
    }
    std::string content = TRY(unpack_pdf_stream(bytes_.substr(start, bytes), dictionary, budget_));
    return Stream{std::move(dictionary), std::move(content)};
  }

  // Of a stream that everything else is found through: by the standard neither its length nor what that refers to is
  // packed, and so nothing has to be unpacked to learn where it ends.
  Result<PdfValue> length_of(const PdfValue& stream) {
    const PdfValue* length = stream.find("Length");
    if (length == nullptr || length->kind != Kind::reference || length->number < 0) {
      return length == nullptr ? PdfValue() : *length;
    }
    const auto place = places_.find(static_cast<std::uint64_t>(length->number));
    if (place == places_.end() || place->second.stream) {
      return refuse("the length of a stream is not where a reader can find it");
    }
    return unpacked_object(place->first, place->second.offset);
  }

  // Every stream of packed objects that a table names has the objects that the table says.
  Status check_packed_objects() {
    for (const auto& [number, place] : places_) {
      if (place.stream && !TRY(packed_in(*place.stream))->starts.contains(number)) {
        return refuse(fmt::format("the object {} is not where the cross-reference table says", number));
      }
    }
    return {};
  }

  Result<const PackedObjects*> packed_in(std::uint64_t stream) {
    if (const auto known = packed_.find(stream); known != packed_.end()) {
      return known->second ? Result<const PackedObjects*>(&*known->second) : refuse("its streams lead in a circle");
    }
    const auto place = places_.find(stream);
    if (place == places_.end() || place->second.stream) {
      return refuse("objects are packed in a stream that is not there");
    }
    std::optional<PackedObjects>& kept = packed_[stream];  // empty until it is read
    auto [dictionary, content] = TRY(read_stream(place->second.offset, stream));
    const auto count = dictionary.count("N");
    const auto first = dictionary.count("First");
    if (dictionary.name_of("Type") != "ObjStm" || !count || !first || *first > content.size()) {
      return refuse("a stream of packed objects is damaged");
    }
    if (*count > kMaxObjects - packed_objects_) {
      return refuse(fmt::format("more than {} objects", kMaxObjects));
    }
    packed_objects_ += *count;
    PackedObjects objects;
    PdfParser parser(std::string_view(content).substr(0, static_cast<std::size_t>(*first)), budget_);
    for (std::uint64_t index = 0; index < *count; ++index) {
      const auto number = parser.take_number();
      const auto start = parser.take_number();
      if (!start || *start > content.size() - *first || !budget_.spend(8)) {
        return refuse("a stream of packed objects is damaged");
      }
      if (!budget_.hold(kNodeBytes + sizeof(decltype(objects.starts)::value_type))) {
        return refuse(kOutOfMemory);
      }
      objects.starts.emplace(*number, static_cast<std::size_t>(*first + *start));
    }
    content.shrink_to_fit();
    objects.text = std::move(content);
    kept = std::move(objects);
    return &*kept;
  }

  Result<PdfValue> object(std::uint64_t number) {
    const auto place = places_.find(number);
    if (place == places_.end()) {
      return PdfValue();  // null, says the standard
    }
    if (place->second.stream) {
      const PackedObjects* packed = TRY(packed_in(*place->second.stream));
      const auto start = packed->starts.find(number);
      return start == packed->starts.end()
                 ? Result<PdfValue>(PdfValue())
                 : PdfParser(std::string_view(packed->text).substr(start->second), budget_).value();
    }
    return unpacked_object(number, place->second.offset);
  }

  Result<PdfValue> unpacked_object(std::uint64_t number, std::size_t offset) {
    PdfParser parser(bytes_.substr(offset), budget_);
    if (!parser.take_number() || !parser.take_number() || !parser.take_word("obj")) {
      return refuse(fmt::format("the object {} is damaged", number));
    }
    return parser.value();
  }

  // The value itself, or what the reference leads to.
  Result<PdfValue> resolved(PdfValue value) {
    for (std::size_t steps = 0; value.kind == Kind::reference; ++steps) {
      if (steps >= kMaxReferences || value.number < 0) {
        return refuse("its references lead in a circle");
      }
      value = TRY(object(static_cast<std::uint64_t>(value.number)));
    }
    return value;
  }
  Result<PdfValue> entry(const PdfValue& dictionary, const std::string& key) {
    const PdfValue* found = dictionary.find(key);
    return found == nullptr ? Result<PdfValue>(PdfValue()) : resolved(*found);
  }

  Result<std::uint64_t> count_pages() {
    const MemoryScope scope(budget_);
    const PdfValue catalogue = root_ ? TRY(resolved(*root_)) : PdfValue();
    if (catalogue.name_of("Type") != "Catalog") {
      return refuse("it has no catalogue");
    }
    const PdfValue* pages = catalogue.find("Pages");
    if (pages == nullptr || pages->kind != Kind::reference) {
      return refuse("it has no pages");
    }
    const PdfValue top = TRY(resolved(*pages));
    const PdfValue announced = TRY(entry(top, "Count"));
    const std::uint64_t leaves = TRY(count_leaves(pages->number));
    if (announced.kind != Kind::number || announced.number < 0 ||
        static_cast<std::uint64_t>(announced.number) != leaves) {
      return refuse(fmt::format("its tree of pages has {} pages, and says another number", leaves));
    }
    return leaves;
  }

  // Nodes have kids, leaves are pages. Each is there once, so that the tree ends.
  Result<std::uint64_t> count_leaves(std::int64_t root) {
    std::uint64_t leaves = 0;
    std::vector<std::int64_t> open = {root};
    std::set<std::int64_t> seen;
    while (!open.empty()) {
      PdfValue reference;
      reference.kind = Kind::reference;
      reference.number = open.back();
      open.pop_back();
      if (!seen.insert(reference.number).second || !budget_.spend(16)) {
        return refuse(budget_.spent_out() ? kOutOfBudget : "its tree of pages leads in a circle");
      }
      if (!budget_.hold(kNodeBytes + sizeof(std::int64_t))) {
        return refuse(kOutOfMemory);
      }
      const MemoryScope scope(budget_);
      const PdfValue node = TRY(resolved(std::move(reference)));
      const std::string_view type = node.name_of("Type");
      if (type == "Page") {
        ++leaves;
        continue;
      }
      const PdfValue kids = TRY(entry(node, "Kids"));
      if (type != "Pages" || kids.kind != Kind::array) {
        return refuse("its tree of pages is damaged");
      }
      for (const PdfValue& kid : kids.values) {
        if (kid.kind != Kind::reference || open.size() + seen.size() >= kMaxObjects) {
          return refuse("its tree of pages is damaged");
        }
        open.push_back(kid.number);
      }
    }
    return leaves;
  }

  std::string_view bytes_;
  WorkBudget& budget_;
  static constexpr std::size_t kPlaceBytes = kNodeBytes + sizeof(std::map<std::uint64_t, Place>::value_type);
  std::map<std::uint64_t, Place> places_;
  std::uint64_t packed_objects_ = 0;  // in all streams
  std::map<std::uint64_t, std::optional<PackedObjects>> packed_;
  std::optional<PdfValue> root_;
};

}  // namespace

Result<FileFacts> read_pdf(std::string_view bytes, WorkBudget& budget) {
  auto facts = PdfReader(bytes, budget).read();
  return budget.spent_out() ? refuse(kOutOfBudget) : std::move(facts);
}

}  // namespace glovebox::verification
