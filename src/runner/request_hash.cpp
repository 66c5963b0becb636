#include "runner/request_hash.h"

#include "base/sha256.h"
#include "contract/limit_table.h"

namespace glovebox::runner {
namespace {

using contract::RunRequest;

class Notes {
 public:
  void note(std::string_view name, std::string_view value) { note_hash(name, base::sha256_hex(value)); }
  void note_hash(std::string_view name, std::string_view value_sha256) {
    hash_.update(name);
    hash_.update(std::string_view("\0", 1));
    hash_.update(value_sha256);
    hash_.update("\n");
  }
  void number(std::string_view name, std::uint64_t value) {
    hash_.update(name);
    hash_.update("=" + std::to_string(value) + "\n");
  }
  [[nodiscard]] std::string hex() { return hash_.hex(); }

 private:
  base::Sha256 hash_;
};

void note_limits(Notes& notes, const contract::Limits& limits) {
  for (const contract::LimitField& field : contract::kLimitTable) {
    notes.number(field.name, limits.*field.member);
  }
}

}  // namespace

std::string hash_of_inputs(const RunRequest& request) {
  Notes notes;
  notes.note("stdin", request.standard_input);
  for (const std::string& argument : request.args) {
    notes.note("arg", argument);
  }
  for (const auto& [name, value] : request.env) {
    notes.note("env " + name, value);
  }
  if (request.input_json) {
    notes.note("input", *request.input_json);
  }
  for (const contract::InputFile& file : request.files) {
    const auto* reference = std::get_if<contract::BlobRef>(&file.content);
    if (reference != nullptr) {
      notes.note_hash("file " + file.path.str(), reference->sha256);
    } else {
      notes.note("file " + file.path.str(), std::get<std::string>(file.content));
    }
  }
  return notes.hex();
}

std::string hash_of_request(const RunRequest& request) {
  Notes notes;
  notes.note("language", request.language);
  notes.note("code", request.code);
  notes.note_hash("inputs", hash_of_inputs(request));
  note_limits(notes, request.limits);
  for (const std::string& place : request.network.allow) {
    notes.note("network", place);
  }
  notes.note("isolation", contract::to_string(request.isolation));
  notes.note("policy", request.policy);
  for (const std::string& pattern : request.artifacts) {
    notes.note("artifacts", pattern);
  }
  notes.note("expect", request.expect_json.value_or(""));
  notes.number("deterministic", request.deterministic ? 1 : 0);
  return notes.hex();
}

std::string cache_key_of(const std::string& request_sha256, const std::string& image_digest,
                         const std::string& policy) {
  Notes notes;
  notes.note_hash("request", request_sha256);
  notes.note("image", image_digest);
  notes.note("policy", policy);
  return notes.hex();
}

}  // namespace glovebox::runner
