// Which file Node loads for a name, among the files of a request.
//
// Node takes the file of exactly that name first, whatever its ending, then tries endings, then looks into a folder,
// where package.json may say what to load. So a file that nobody reads can stand before the one that was read, and
// package.json can lead to it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::policy {

struct PolicyQuestion;

// Whether `module` ("./helper", "../part"), loaded by the file `from` (empty: the program), is one of the request's
// files that are judged, or data.
[[nodiscard]] bool is_own_node_module(const PolicyQuestion& question, std::string_view module, std::string_view from);

// What is wrong with a package.json: that it cannot be read (in time, if it is not too large), or leads to something
// that is not judged. Nothing: it is as good as not there.
[[nodiscard]] std::optional<std::string> find_redirection(const PolicyQuestion& question, std::string_view path,
                                                          std::optional<std::string_view> text,
                                                          std::chrono::steady_clock::time_point deadline);

[[nodiscard]] bool is_package_file(std::string_view path);

}  // namespace glovebox::policy
