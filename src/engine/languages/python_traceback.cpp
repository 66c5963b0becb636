#include "engine/languages/python_traceback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace glovebox::engine::python {
namespace {

constexpr std::string_view kHeader = "Traceback (most recent call last):";
constexpr std::string_view kFileStart = "  File \"";
constexpr std::string_view kSourceIndent = "    ";
constexpr std::array<std::string_view, 2> kChainLinks = {
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:"};
constexpr std::size_t kMaxChain = 4;
constexpr std::size_t kFirstFrames = 10;
constexpr std::size_t kLastFrames = 20;

bool is_chain_link(std::string_view line) {
  return std::find(kChainLinks.begin(), kChainLinks.end(), line) != kChainLinks.end();
}

bool starts_side_report(std::string_view line) {
  return line.starts_with("Exception ignored ") || line.starts_with("Exception in thread ");
}

std::string trimmed_block(const FailedProgram& failed, const Block& block) {
  std::string text(kHeader);
  text += '\n';
  std::vector<const Frame*> shown;  // nullptr: a library frame
  for (const Frame& frame : block.frames) {
    if (!is_support_file(frame.file)) {
      const bool of_user = is_user_file(failed, frame.file) || frame.file == "<string>" || frame.file == "<stdin>";
      shown.push_back(of_user || frame.is_location ? &frame : nullptr);
    }
  }
  std::size_t library = 0;
  const auto flush_library = [&] {
    if (library > 0) {
      text += fmt::format("  … {} library frame{}\n", library, library == 1 ? "" : "s");
    }
    library = 0;
  };
  for (std::size_t index = 0; index < shown.size(); ++index) {
    if (index == kFirstFrames && shown.size() > kFirstFrames + kLastFrames) {
      flush_library();
      const std::size_t skipped = shown.size() - kFirstFrames - kLastFrames;
      text += fmt::format("  … {} more frames\n", skipped);
      index += skipped;
    }
    if (shown[index] == nullptr) {
      ++library;
    } else {
      flush_library();
      text += join_lines(failed.lines, shown[index]->begin, shown[index]->end);
    }
  }
  flush_library();
  return text + std::string(trim(join_lines(failed.lines, block.exception, block.end))) + "\n";
}

}  // namespace

std::optional<Frame> parse_file_line(std::string_view line) {
  if (!line.starts_with(kFileStart)) {
    return std::nullopt;
  }
  const std::size_t name_end = line.rfind("\", line ");
  if (name_end == std::string_view::npos || name_end < kFileStart.size()) {
    return std::nullopt;
  }
  Frame frame;
  frame.file = line.substr(kFileStart.size(), name_end - kFileStart.size());
  const std::string_view rest = line.substr(name_end + std::string_view("\", line ").size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  frame.line = parse_number(rest.substr(0, digits));
  frame.is_location = digits == rest.size();
  return frame;
}

std::vector<Frame> parse_frames(const Lines& lines, std::size_t& index) {
  std::vector<Frame> frames;
  while (index < lines.size()) {
    std::optional<Frame> frame = parse_file_line(lines[index]);
    if (!frame) {
      break;
    }
    frame->begin = index++;
    while (index < lines.size() &&
           (lines[index].starts_with(kSourceIndent) || lines[index].starts_with("  [Previous line repeated "))) {
      ++index;
    }
    frame->end = index;
    frames.push_back(*frame);
  }
  return frames;
}

std::vector<Block> find_blocks(const Lines& lines) {
  std::vector<Block> blocks;
  std::size_t index = 0;
  while (index < lines.size()) {
    if (lines[index] != kHeader) {
      ++index;
      continue;
    }
    Block block;
    block.header = index++;
    block.frames = parse_frames(lines, index);
    block.exception = index;
    while (index < lines.size() && lines[index] != kHeader && !is_chain_link(lines[index]) &&
           !starts_side_report(lines[index])) {
      ++index;
    }
    block.end = index;
    block.beside = block.header > 0 && starts_side_report(lines[block.header - 1]);
    // The sentence stands between two empty lines above the header.
    block.linked = block.header >= 2 && is_chain_link(lines[block.header - 2]) && !blocks.empty();
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::pair<std::string_view, std::string_view> split_exception(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view type = line.substr(0, colon);
  const bool is_name = !type.empty() && type.find_first_of(" \t\"'()[]{}/\\") == std::string_view::npos;
  if (!is_name) {
    return {{}, line};
  }
  return {type, trim(line.substr(std::min(colon + 1, line.size())))};
}

// The marker line has one character per character of the quoted source, which has lost its indentation.
std::optional<std::uint32_t> column_of(const FailedProgram& failed, const Frame& frame) {
  if (frame.end < frame.begin + 3 || frame.file != failed.program.program_path || !frame.line) {
    return std::nullopt;
  }
  const std::string_view marker = failed.lines[frame.begin + 2];
  const std::string_view source = failed.lines[frame.begin + 1].substr(kSourceIndent.size());
  if (!is_marker_line(marker)) {
    return std::nullopt;
  }
  const std::string_view line = code_line(failed.program.code, *frame.line);
  const std::size_t start = line.find(source);
  const std::size_t mark = marker.find_first_of("^~");
  if (start == std::string_view::npos || mark < kSourceIndent.size()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(count_characters(line.substr(0, start)) + mark - kSourceIndent.size() + 1);
}

std::string trimmed_chain(const FailedProgram& failed, const std::vector<Block>& blocks, std::size_t last) {
  std::size_t first = last;
  while (first > 0 && blocks[first].linked && last - first + 1 < kMaxChain) {
    --first;
  }
  std::string text;
  for (std::size_t index = first; index <= last; ++index) {
    if (index > first) {
      text += fmt::format("\n{}\n\n", failed.lines[blocks[index].header - 2]);
    }
    text += trimmed_block(failed, blocks[index]);
  }
  return text;
}

}  // namespace glovebox::engine::python
