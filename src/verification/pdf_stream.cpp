#include "verification/pdf_stream.h"

#include <algorithm>
#include <cstdlib>

#include "verification/inflation.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kMaxUnpacked = std::size_t{32} << 20U;
constexpr std::size_t kMaxRow = std::size_t{1} << 16U;

// An entry that is one value, or an array of exactly one.
const PdfValue* only(const PdfValue& dictionary, const std::string& key) {
  const PdfValue* value = dictionary.find(key);
  const bool listed = value != nullptr && value->kind == PdfValue::Kind::array && value->values.size() == 1;
  return listed ? &value->values.front() : value;
}

unsigned paeth(unsigned left, unsigned up, unsigned corner) {
  const int estimate = static_cast<int>(left) + static_cast<int>(up) - static_cast<int>(corner);
  const int to_left = std::abs(estimate - static_cast<int>(left));
  const int to_up = std::abs(estimate - static_cast<int>(up));
  const int to_corner = std::abs(estimate - static_cast<int>(corner));
  return to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
}

// PNG's filters: every row begins with the number of its own.
Result<std::string> without_predictor(std::string_view rows, std::size_t row_bytes, std::size_t pixel_bytes) {
  if (rows.size() % (row_bytes + 1) != 0) {
    return refuse("a stream is no rows of its predictor");
  }
  std::string plain;
  plain.reserve(rows.size());
  std::string above(row_bytes, '\0');
  for (; !rows.empty(); rows.remove_prefix(row_bytes + 1)) {
    const auto filter = static_cast<unsigned char>(rows.front());
    if (filter > 4) {
      return refuse("a stream is no rows of its predictor");
    }
    std::string row(rows.substr(1, row_bytes));
    for (std::size_t index = 0; index < row_bytes; ++index) {
      const unsigned left = index >= pixel_bytes ? static_cast<unsigned char>(row[index - pixel_bytes]) : 0;
      const unsigned up = static_cast<unsigned char>(above[index]);
      const unsigned corner = index >= pixel_bytes ? static_cast<unsigned char>(above[index - pixel_bytes]) : 0;
      const unsigned predicted = filter == 1   ? left
                                 : filter == 2 ? up
                                 : filter == 3 ? (left + up) / 2
                                 : filter == 4 ? paeth(left, up, corner)
                                               : 0;
      row[index] = static_cast<char>(static_cast<unsigned char>(row[index]) + predicted);
    }
    plain += row;
    above = std::move(row);
  }
  return plain;
}

}  // namespace

Result<std::string> unpack_pdf_stream(std::string_view packed, const PdfValue& dictionary, WorkBudget& budget) {
  const PdfValue* filter = only(dictionary, "Filter");
  std::string plain;
  const auto take = [&](std::string_view piece) -> Status {
    if (!budget.hold(piece.size())) {
      return refuse(kOutOfMemory);
    }
    plain += piece;
    return {};
  };
  if (filter == nullptr) {
    TRY_STATUS(packed.size() <= kMaxUnpacked ? take(packed) : refuse("a stream is too large to be checked"));
  } else if (filter->kind == PdfValue::Kind::name && filter->name == "FlateDecode") {
    const std::string_view parts[] = {packed};
    TRY(inflate(parts, InflationForm::zlib, kMaxUnpacked, take, budget, BehindTheEnd::ignored));
  } else {
    return refuse("a stream is packed in a way that is not known here");
  }
  const PdfValue* parameters = only(dictionary, "DecodeParms");
  const std::uint64_t predictor = parameters != nullptr ? parameters->count("Predictor").value_or(1) : 1;
  if (predictor == 1) {
    return plain;
  }
  const std::uint64_t columns = parameters->count("Columns").value_or(1);
  const std::uint64_t bits =
      parameters->count("BitsPerComponent").value_or(8) * parameters->count("Colors").value_or(1);
  if (predictor < 10 || columns == 0 || columns > kMaxRow || bits == 0 || bits > 64 || columns * bits / 8 > kMaxRow) {
    return refuse("a stream has a predictor that is not known here");
  }
  if (!budget.spend(plain.size() / 4) || !budget.hold(plain.size())) {
    return refuse(budget.spent_out() ? kOutOfBudget : kOutOfMemory);
  }
  return without_predictor(plain, static_cast<std::size_t>((columns * bits + 7) / 8),
                           static_cast<std::size_t>(std::max<std::uint64_t>(bits / 8, 1)));
}

}  // namespace glovebox::verification
