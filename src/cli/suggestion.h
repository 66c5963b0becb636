// "did you mean …": the known word that a typed one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glovebox::cli {

// The nearest of the words, if so few letters are different, missing or swapped that it is a slip and not another word.
[[nodiscard]] std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// "; did you mean X?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace glovebox::cli
