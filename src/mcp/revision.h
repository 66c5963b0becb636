// The protocol's revisions, of two eras.
//
// handshake: a client says hello (`initialize`) and both sides remember it: 2024-11-05 … 2025-11-25. stateless: every
// request says by itself who asks and in which revision: 2026-07-28.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::mcp {

enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr Revision kNewestHandshake = Revision::v2025_11_25;
inline constexpr Revision kNewest = Revision::v2026_07_28;

// Newest first.
inline constexpr std::array<std::string_view, 5> kRevisionNames = {"2026-07-28", "2025-11-25", "2025-06-18",
                                                                   "2025-03-26", "2024-11-05"};

[[nodiscard]] std::string_view to_string(Revision revision);
[[nodiscard]] std::optional<Revision> parse_revision(std::string_view name);
[[nodiscard]] constexpr bool is_stateless(Revision revision) { return revision >= Revision::v2026_07_28; }
// What `initialize` is answered with: the revision that was asked for, or the newest that has a handshake.
[[nodiscard]] Revision negotiate(std::string_view asked);
// ["2026-07-28",…]
[[nodiscard]] std::string revision_list();

}  // namespace glovebox::mcp
