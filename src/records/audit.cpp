#include "records/audit.h"

#include <array>
#include <limits>

#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "contract/request_rules.h"
#include "records/digest.h"

namespace glovebox::records {
namespace {

using base::Result;

constexpr std::size_t kMaxAnchorBytes = 4096;
constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kAnchorFields[] = {"seq", "hash", "time_ms"};

constexpr std::array<std::string_view, 11> kProblems = {
    "changed",           "missing",         "out_of_order",    "cut",
    "rewritten",         "head_missing",    "run_changed",     "run_missing",
    "run_without_entry", "content_damaged", "content_missing",
};
static_assert(static_cast<std::size_t>(AuditProblem::What::content_missing) + 1 == kProblems.size());

}  // namespace

std::string_view to_string(AuditProblem::What what) { return kProblems.at(static_cast<std::size_t>(what)); }

std::string to_json(const Anchor& anchor) {
  contract::JsonWriter json;
  json.begin_object();
  json.integer("seq", anchor.seq);
  json.string("hash", anchor.hash);
  json.signed_integer("time_ms", anchor.time_ms);
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

Result<Anchor> parse_anchor(std::string_view json_line) {
  contract::JsonOptions options;
  options.bounds.max_bytes = kMaxAnchorBytes;
  contract::JsonValue root = TRY(contract::parse_json(json_line, options));
  const contract::JsonObject object = TRY(contract::JsonNode(root, "").object(kAnchorFields));
  const contract::JsonNode seq = TRY(object.require("seq"));
  const contract::JsonNode hash = TRY(object.require("hash"));
  const contract::JsonNode time = TRY(object.require("time_ms"));
  Anchor anchor;
  anchor.seq = TRY(seq.integer(0, kMaxNumber));
  anchor.hash = TRY(hash.take_string());
  anchor.time_ms = static_cast<std::int64_t>(TRY(time.integer(0, kMaxNumber)));
  if (!contract::is_sha256_hex(anchor.hash)) {
    return base::fail(hash.error("expected the 64 hexadecimal digits of a SHA-256"));
  }
  return anchor;
}

std::string audit_hash(std::string_view previous, std::uint64_t seq, const AuditEvent& event) {
  Digest digest;
  digest.add("glovebox audit 1").add(previous).add(seq).add(event.time_ms);
  digest.add(event.kind).add(event.actor).add(event.subject).add(event.detail_json);
  return digest.hex();
}

}  // namespace glovebox::records
