#include "verification/thrift.h"

#include <algorithm>

#include "verification/byte_reader.h"

namespace glovebox::verification {
namespace {

using base::Result;

constexpr std::size_t kMaxThriftDepth = 16;
constexpr std::size_t kMaxValues = 500'000;

enum Type : unsigned { kTrue = 1, kFalse, kByte, kI16, kI32, kI64, kDouble, kBinary, kList, kSet, kMap, kStruct };

tl::unexpected<base::Error> damaged_footer() {
  return base::fail(base::ErrorCode::invalid_output, "the footer is damaged");
}

class Reader {
 public:
  Reader(std::string_view bytes, WorkBudget& budget) : bytes_(bytes), budget_(budget) {}

  Result<ThriftValue> run() {
    ThriftValue root = TRY(value(kStruct, 0));
    return bytes_.left() == 0 ? Result<ThriftValue>(std::move(root)) : damaged_footer();
  }

 private:
  Result<std::uint64_t> varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = bytes_.big_endian(1);
      if (!byte) {
        return damaged_footer();
      }
      number |= std::uint64_t{*byte & 0x7FU} << shift;
      if ((*byte & 0x80U) == 0) {
        return number;
      }
    }
    return damaged_footer();
  }
  Result<std::int64_t> zigzag() {
    const std::uint64_t number = TRY(varint());
    return static_cast<std::int64_t>((number >> 1U) ^ (~(number & 1U) + 1));
  }

  Result<ThriftValue> value(unsigned type, std::size_t depth) {
    if (depth > kMaxThriftDepth || ++values_ > kMaxValues || !budget_.spend(4)) {
      return base::fail(base::ErrorCode::invalid_output, "the footer is too large to be checked");
    }
    if (!budget_.hold(2 * sizeof(ThriftField))) {
      return base::fail(base::ErrorCode::invalid_output, kOutOfMemory);
    }
    ThriftValue read;
    switch (type) {
      case kTrue:
      case kFalse:
        read.number = type == kTrue ? 1 : 0;
        return read;
      case kByte: {
        const auto byte = bytes_.big_endian(1);
        read.number = byte ? static_cast<std::int8_t>(*byte) : 0;
        return byte ? Result<ThriftValue>(read) : damaged_footer();
      }
      case kI16:
      case kI32:
      case kI64:
        read.number = TRY(zigzag());
        return read;
      case kDouble:
        return bytes_.take(8) ? Result<ThriftValue>(read) : damaged_footer();
      case kBinary: {
        const auto text = bytes_.take(static_cast<std::size_t>(std::min<std::uint64_t>(TRY(varint()), SIZE_MAX / 2)));
        read.bytes = text.value_or("");
        return text ? Result<ThriftValue>(read) : damaged_footer();
      }
      case kList:
      case kSet:
        return list(depth);
      case kMap:
        return map(depth);
      case kStruct:
        return structure(depth);
      default:
        return damaged_footer();
    }
  }

  // An element of a list or map that is true or false has a byte of its own.
  Result<ThriftValue> element(unsigned type, std::size_t depth) {
    if (type == kTrue || type == kFalse) {
      const auto byte = bytes_.big_endian(1);
      return byte && (*byte == kTrue || *byte == kFalse) ? value(*byte, depth) : damaged_footer();
    }
    return value(type, depth);
  }

  Result<ThriftValue> list(std::size_t depth) {
    const auto head = bytes_.big_endian(1);
    if (!head) {
      return damaged_footer();
    }
    const std::uint64_t count = (*head >> 4U) == 15 ? TRY(varint()) : *head >> 4U;
    ThriftValue read;
    for (std::uint64_t index = 0; index < count; ++index) {
      read.list.push_back(TRY(element(*head & 15U, depth + 1)));
    }
    return read;
  }

  // Nothing of a map is needed: it is read and forgotten.
  Result<ThriftValue> map(std::size_t depth) {
    const std::uint64_t count = TRY(varint());
    if (count == 0) {
      return ThriftValue();
    }
    const auto types = bytes_.big_endian(1);
    if (!types) {
      return damaged_footer();
    }
    for (std::uint64_t index = 0; index < count; ++index) {
      TRY(element(*types >> 4U, depth + 1));
      TRY(element(*types & 15U, depth + 1));
    }
    return ThriftValue();
  }

  Result<ThriftValue> structure(std::size_t depth) {
    ThriftValue read;
    std::int64_t id = 0;
    while (true) {
      const auto head = bytes_.big_endian(1);
      if (!head) {
        return damaged_footer();
      }
      if (*head == 0) {
        return read;
      }
      id = (*head >> 4U) == 0 ? TRY(zigzag()) : id + (*head >> 4U);
      if (id < 0 || id > 32767) {
        return damaged_footer();
      }
      ThriftValue member = TRY(value(*head & 15U, depth + 1));
      read.members.push_back({static_cast<int>(id), std::move(member)});
    }
  }

  ByteReader bytes_;
  WorkBudget& budget_;
  std::size_t values_ = 0;
};

}  // namespace

const ThriftValue* ThriftValue::field(int id) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const ThriftField& each) { return each.id == id; });
  return found == members.end() ? nullptr : &found->value;
}

Result<ThriftValue> read_thrift(std::string_view bytes, WorkBudget& budget) { return Reader(bytes, budget).run(); }

}  // namespace glovebox::verification
