#include "learned_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "memory_map.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace glovebox::guest {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostRanges = 4096;

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

std::array<Range, kMostRanges> ranges;
std::size_t range_count = 0;

void add(std::uintptr_t page) {
  if (range_count > 0 && ranges[range_count - 1].end == page) {
    ranges[range_count - 1].end += kPage;
  } else if (range_count < kMostRanges) {
    ranges[range_count++] = {page, page + kPage};
  }
}

// Both in the order of their addresses.
std::size_t intersect(std::span<const Range> one, std::span<const Range> other, std::array<Range, kMostRanges>& both) {
  std::size_t count = 0;
  std::size_t left = 0;
  std::size_t right = 0;
  while (left < one.size() && right < other.size() && count < both.size()) {
    const Range common = {std::max(one[left].begin, other[right].begin), std::min(one[left].end, other[right].end)};
    if (common.begin < common.end) {
      both[count++] = common;
    }
    if (one[left].end < other[right].end) {
      ++left;
    } else {
      ++right;
    }
  }
  return count;
}

// Present, mapped by nobody else, and no page of a file (Documentation/admin-guide/mm/pagemap.rst).
bool is_private(std::uint64_t entry) {
  constexpr std::uint64_t kPresent = 1ULL << 63U;
  constexpr std::uint64_t kFile = 1ULL << 61U;
  constexpr std::uint64_t kExclusive = 1ULL << 56U;
  return (entry & kPresent) != 0 && (entry & kExclusive) != 0 && (entry & kFile) == 0;
}

}  // namespace

void tell_private_pages(int pipe) {
  static std::array<std::uint64_t, 512> entries;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) {
    return;
  }
  range_count = 0;
  for_each_mapping([pagemap](const Mapping& mapping) {
    if (mapping.mode[0] != 'r' || mapping.mode[1] != 'w' || mapping.mode[3] != 'p') {
      return;
    }
    for (std::uintptr_t at = mapping.begin; at < mapping.end; at += entries.size() * kPage) {
      const ssize_t got =
          ::pread(pagemap, entries.data(), sizeof(entries), static_cast<off_t>(at / kPage * sizeof(std::uint64_t)));
      for (std::size_t index = 0; got > 0 && index < static_cast<std::size_t>(got) / sizeof(std::uint64_t); ++index) {
        const std::uintptr_t page = at + index * kPage;
        if (page < mapping.end && is_private(entries[index])) {
          add(page);
        }
      }
    }
  });
  ::close(pagemap);
  std::size_t done = 0;
  const std::size_t size = range_count * sizeof(Range);
  while (done < size) {
    const ssize_t written = ::write(pipe, reinterpret_cast<const char*>(ranges.data()) + done, size - done);
    if (written <= 0) {
      return;
    }
    done += static_cast<std::size_t>(written);
  }
}

void learn_private_pages(int pipe) {
  static std::array<Range, kMostRanges> told;
  static std::array<Range, kMostRanges> before;
  static bool first = true;
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < sizeof(told) &&
         (got = ::read(pipe, reinterpret_cast<char*>(told.data()) + size, sizeof(told) - size)) > 0) {
    size += static_cast<std::size_t>(got);
  }
  const std::size_t told_count = size / sizeof(Range);
  if (first) {
    first = false;
    ranges = told;
    range_count = told_count;
    return;
  }
  before = ranges;
  range_count = intersect(std::span(before.data(), range_count), std::span(told.data(), told_count), ranges);
}

// What is not there any more, or an older kernel that does not know how, costs nothing but the faults later on.
void copy_learned_pages() {
  for (std::size_t index = 0; index < range_count; ++index) {
    ::madvise(reinterpret_cast<void*>(ranges[index].begin), ranges[index].end - ranges[index].begin,
              MADV_POPULATE_WRITE);
  }
}

}  // namespace glovebox::guest
