// A person's answer to what a policy asks about (P4).
//
// pending → approved → used, or pending → rejected, or either of the first two → expired. An approval is bound to the
// tenant, the hash of the request and the digest of the policy, and serves one run. Whoever answers first wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::records {

enum class ApprovalState { pending, approved, rejected, used, expired };
[[nodiscard]] std::string_view to_string(ApprovalState state);
[[nodiscard]] std::optional<ApprovalState> parse_approval_state(std::string_view name);

struct Approval {
  std::string id;  // "appr_" and characters that sort by time
  std::string tenant;
  std::string run_id;    // the run that asked first
  std::string asked_by;  // keys of all who asked while it was open, with spaces between; empty: without a key
  std::string request_sha256;
  std::string policy;  // "strict@sha256:…"
  ApprovalState state = ApprovalState::pending;
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;  // of the question, and once approved of the approval
  std::int64_t answered_ms = 0;
  std::string answered_by;
  std::string note;
  std::string used_by;      // the run that it served
  std::string detail_json;  // the decision and the program, redacted, for whoever answers
  bool operator==(const Approval&) const = default;
};

// Whether this key is one of those that asked.
[[nodiscard]] bool asked(const Approval& approval, std::string_view key_id);

// What an approval is bound to.
struct ApprovalKey {
  std::string_view tenant;
  std::string_view request_sha256;
  std::string_view policy;
  std::string_view asked_by = {};  // serves only who asked while it was open; empty: everybody
};

struct ApprovalFilter {
  std::optional<std::string> tenant;
  std::optional<ApprovalState> state;
};

struct ApprovalPage {
  std::vector<Approval> approvals;  // newest first
  std::string next_cursor;          // empty: there is nothing older
};

enum class ApprovalAnswer { approve, reject };

struct NewAnswer {
  ApprovalAnswer answer = ApprovalAnswer::reject;
  std::string_view actor;
  std::string_view note;
  std::int64_t now_ms = 0;
  std::int64_t usable_until_ms = 0;
  std::string_view not_asked_by = {};  // a yes does not count if this key has asked as well; empty: it always does
};

// `decided` is false when somebody was faster, or the time was over: the approval then tells what it had become.
struct Answered {
  Approval approval;
  bool decided = false;
  bool own_question = false;  // not decided, because whoever said yes had asked
};

}  // namespace glovebox::records
