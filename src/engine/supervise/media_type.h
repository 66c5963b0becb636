// The media type of an artifact, by its name and, where the name says nothing, by its bytes.
#pragma once

#include <string>
#include <string_view>

namespace glovebox::engine {

[[nodiscard]] std::string media_type_of(std::string_view path, std::string_view content);

}  // namespace glovebox::engine
