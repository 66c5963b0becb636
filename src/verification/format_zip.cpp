// Zip: the central directory, every entry at its place, decompressed and compared with its size and CRC.
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "verification/byte_reader.h"
#include "verification/file_format.h"
#include "verification/inflation.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kMaxEntries = 10'000;
// All entries together, decompressed. What is larger is not checked, and what is not checked does not pass.
constexpr std::uint64_t kMaxContent = std::uint64_t{256} << 20U;
constexpr std::size_t kEndBytes = 22;

struct Directory {
  std::uint32_t entries = 0;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;
};

// The last record of the file; only a comment may follow, and its length has to fit.
Result<Directory> find_directory(std::string_view bytes) {
  constexpr std::size_t kMaxComment = 65535;
  const std::size_t first = bytes.size() > kEndBytes + kMaxComment ? bytes.size() - kEndBytes - kMaxComment : 0;
  for (std::size_t at = bytes.rfind("PK\x05\x06"); at != bytes.npos && at >= first;
       at = at == 0 ? bytes.npos : bytes.rfind("PK\x05\x06", at - 1)) {
    ByteReader reader(bytes.substr(at + 4));
    const auto disks = reader.little_endian(4);
    const auto here = reader.little_endian(2);
    const auto entries = reader.little_endian(2);
    const auto size = reader.little_endian(4);
    const auto offset = reader.little_endian(4);
    const auto comment = reader.little_endian(2);
    if (!comment || *comment != reader.left() || *disks != 0 || *here != *entries) {
      continue;
    }
    if (*entries == 0xFFFF || *size == 0xFFFFFFFF || *offset == 0xFFFFFFFF) {
      return refuse("the zip64 form is not supported");
    }
    if (std::uint64_t{*offset} + *size != at) {
      return refuse("the central directory is not where the file says");
    }
    return Directory{*entries, *size, *offset};
  }
  return refuse("there is no central directory: not a zip file, or cut off");
}

struct Entry {
  std::string name;
  std::uint32_t flags = 0, method = 0, crc = 0, packed = 0, size = 0, offset = 0;
};

Result<Entry> read_entry(ByteReader& reader) {
  const auto magic = reader.take(4);
  const auto versions = reader.take(4);
  Entry entry;
  const auto flags = reader.little_endian(2);
  const auto method = reader.little_endian(2);
  const auto time = reader.take(4);
  const auto crc = reader.little_endian(4);
  const auto packed = reader.little_endian(4);
  const auto size = reader.little_endian(4);
  const auto name_size = reader.little_endian(2);
  const auto extra_size = reader.little_endian(2);
  const auto comment_size = reader.little_endian(2);
  const auto attributes = reader.take(8);
  const auto offset = reader.little_endian(4);
  const auto name = offset ? reader.take(*name_size) : std::nullopt;
  const auto rest = name ? reader.take(std::size_t{*extra_size} + *comment_size) : std::nullopt;
  if (!rest || *magic != "PK\x01\x02" || !versions || !time || !attributes) {
    return refuse("the central directory is damaged");
  }
  entry.name = *name;
  entry.flags = *flags;
  entry.method = *method;
  entry.crc = *crc;
  entry.packed = *packed;
  entry.size = *size;
  entry.offset = *offset;
  return entry;
}

// The bytes of an entry, behind its local header. `limit` is where the central directory begins.
Result<std::string_view> packed_bytes(std::string_view bytes, const Entry& entry, std::size_t limit, std::size_t& end) {
  constexpr std::size_t kLocalHeader = 30;
  if (entry.offset > limit || limit - entry.offset < kLocalHeader ||
      !bytes.substr(entry.offset).starts_with("PK\x03\x04")) {
    return refuse("is not where the directory says");
  }
  ByteReader sizes(bytes.substr(entry.offset + 26));
  const std::size_t name_size = *sizes.little_endian(2);
  const std::size_t extra_size = *sizes.little_endian(2);
  const std::size_t start = entry.offset + kLocalHeader + name_size + extra_size;
  if (start > limit || entry.packed > limit - start) {
    return refuse("reaches beyond the file");
  }
  if (bytes.substr(entry.offset + kLocalHeader, name_size) != entry.name) {
    return refuse("has another name in its own header");
  }
  end = start + entry.packed;
  return bytes.substr(start, entry.packed);
}

Status check_content(std::string_view packed, const Entry& entry, WorkBudget& budget) {
  if ((entry.flags & 1U) != 0) {
    return refuse("is encrypted");
  }
  std::uint32_t crc = 0;
  std::uint64_t size = packed.size();
  if (entry.method == 0) {
    crc = crc32_of(packed);
    if (!budget.spend(1 + packed.size() / 64)) {
      return refuse(kOutOfBudget);
    }
  } else if (entry.method == 8) {
    const std::string_view parts[] = {packed};
    size = TRY(inflate(
        parts, InflationForm::raw, entry.size,
        [&](std::string_view bytes) {
          crc = crc32_of(bytes, crc);
          return Status();
        },
        budget));
  } else {
    return refuse(fmt::format("is compressed with method {}, which is not supported", entry.method));
  }
  if (size != entry.size || crc != entry.crc) {
    return refuse(size != entry.size ? "has another size than announced" : "has a wrong CRC");
  }
  return {};
}

}  // namespace

Result<FileFacts> read_zip(std::string_view bytes, WorkBudget& budget) {
  const Directory directory = TRY(find_directory(bytes));
  if (directory.entries > kMaxEntries) {
    return refuse(fmt::format("{} entries are too many to be checked; at most {}", directory.entries, kMaxEntries));
  }
  ByteReader reader(bytes.substr(directory.offset, directory.bytes));
  std::uint64_t content = 0;
  // Entries that share bytes are how a small file becomes an endless one.
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::uint32_t index = 0; index < directory.entries; ++index) {
    const Entry entry = TRY(read_entry(reader));
    const auto about = [&](const base::Error& error) {
      return refuse(fmt::format("the entry \"{}\" {}", base::printable(entry.name, 100), error.message));
    };
    content += entry.size;
    if (content > kMaxContent) {
      return refuse(fmt::format("the entries have more than {} bytes together, too many to be checked", kMaxContent));
    }
    std::size_t end = 0;
    const auto packed = packed_bytes(bytes, entry, directory.offset, end);
    if (!packed) {
      return about(packed.error());
    }
    places.emplace_back(entry.offset, end);
    if (const auto checked = check_content(*packed, entry, budget); !checked) {
      return about(checked.error());
    }
  }
  if (reader.left() != 0) {
    return refuse("the central directory has more entries than announced");
  }
  std::sort(places.begin(), places.end());
  for (std::size_t index = 1; index < places.size(); ++index) {
    if (places[index].first < places[index - 1].second) {
      return refuse("entries share their bytes");
    }
  }
  return FileFacts();
}

}  // namespace glovebox::verification
