// HTML. A browser shows anything, so "parses" is defined here: the text can be cut into tags, comments and text up to
// its end, nothing that was opened with < or a quote is left open, and it says that it is HTML by a document type or an
// html, head or body element. Whether elements are nested well is not looked at.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "verification/file_format.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

class Tokens {
 public:
  Tokens(std::string_view text, WorkBudget& budget) : text_(text), budget_(budget) {}

  Status read() {
    while (true) {
      at_ = text_.find('<', at_);
      if (at_ == text_.npos) {
        return is_html_ ? Status() : refuse("it has neither a document type nor an html, head or body element");
      }
      if (!budget_.spend(1)) {
        return refuse(kOutOfBudget);
      }
      TRY_STATUS(read_markup());
    }
  }

 private:
  Status skip_past(std::string_view end, std::string_view what) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) {
      return refuse(fmt::format("{} is not closed", what));
    }
    at_ = found + end.size();
    return {};
  }

  Status read_markup() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      at_ += 4;
      return skip_past("-->", "a comment");
    }
    if (rest.starts_with("<!") || rest.starts_with("<?")) {
      const std::string start = lower(rest.substr(0, 14));
      is_html_ = is_html_ || (start.starts_with("<!doctype") && start.find("html") != std::string::npos);
      at_ += 2;
      return skip_past(">", "a declaration");
    }
    const std::size_t name_at = rest.starts_with("</") ? 2 : 1;
    if (name_at >= rest.size() || !base::is_letter(rest[name_at])) {
      ++at_;  // a < that is text
      return {};
    }
    return read_tag(name_at);
  }

  Status read_tag(std::size_t name_at) {
    const std::size_t start = at_ + name_at;
    at_ = std::min(text_.find_first_of(" \t\r\n/>", start), text_.size());
    const std::string name = lower(text_.substr(start, std::min<std::size_t>(at_ - start, 64)));
    bool quoted = false;
    while (at_ < text_.size() && text_[at_] != '>') {
      const char letter = text_[at_];
      // A quote opens a value only behind =.
      quoted = quoted || letter == '=';
      if ((letter == '"' || letter == '\'') && quoted) {
        ++at_;
        TRY_STATUS(skip_past(std::string_view(&letter, 1), "the value of an attribute"));
        quoted = false;
        continue;
      }
      if (letter != '=' && letter != ' ' && letter != '\t' && letter != '\n' && letter != '\r') {
        quoted = false;
      }
      ++at_;
    }
    if (at_ >= text_.size()) {
      return refuse(fmt::format("the tag {} is not closed", name));
    }
    ++at_;
    if (name_at == 1) {
      is_html_ = is_html_ || name == "html" || name == "head" || name == "body";
      return skip_raw_text(name);
    }
    return {};
  }

  // In these, nothing but their own end tag is markup.
  Status skip_raw_text(const std::string& name) {
    static constexpr std::array<std::string_view, 4> kRaw = {"script", "style", "textarea", "title"};
    if (std::find(kRaw.begin(), kRaw.end(), name) == kRaw.end()) {
      return {};
    }
    while (true) {
      const std::size_t found = text_.find("</", at_);
      if (found == text_.npos) {
        return refuse(fmt::format("the element {} is not closed", name));
      }
      at_ = found;
      if (!budget_.spend(1)) {
        return refuse(kOutOfBudget);
      }
      if (lower(text_.substr(found + 2, name.size())) == name) {
        return {};
      }
      at_ += 2;
    }
  }

  std::string_view text_;
  WorkBudget& budget_;
  std::size_t at_ = 0;
  bool is_html_ = false;
};

}  // namespace

Result<FileFacts> read_html(std::string_view bytes, WorkBudget& budget) {
  TRY(read_text(bytes, budget));
  TRY_STATUS(Tokens(bytes, budget).read());
  return FileFacts();
}

}  // namespace glovebox::verification
