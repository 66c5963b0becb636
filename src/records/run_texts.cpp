#include "records/run_texts.h"

#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

class Taker {
 public:
  Taker(const Contents& store, Database& reader) : store_(store), reader_(reader) {}

  // The hash of what was taken.
  Result<std::string> take(std::string_view role, std::uint32_t position, const std::string& path,
                           const std::string& media_type, std::string& bytes) {
    ContentRef ref;
    ref.role = role;
    ref.path = path;
    taken_.push_back(TRY(store_.prepare(reader_, std::move(ref), position, media_type, std::move(bytes))));
    bytes.clear();
    return taken_.back().ref.sha256;
  }
  Status take_text(std::string_view role, std::string& bytes) {
    if (!bytes.empty()) {
      TRY_STATUS(take(role, 0, {}, {}, bytes));
    }
    return {};
  }
  std::vector<Content> finish() { return std::move(taken_); }

 private:
  const Contents& store_;
  Database& reader_;
  std::vector<Content> taken_;
};

}  // namespace

Result<std::vector<Content>> take_contents(const Contents& store, Database& reader, contract::RunRequest& request) {
  Taker taker(store, reader);
  TRY_STATUS(taker.take_text("code", request.code));
  TRY_STATUS(taker.take_text("stdin", request.standard_input));
  std::uint32_t position = 0;
  for (contract::InputFile& file : request.files) {
    if (auto* bytes = std::get_if<std::string>(&file.content)) {
      contract::BlobRef reference;
      reference.sha256 = TRY(taker.take("file", position, file.path.str(), {}, *bytes));
      file.content = std::move(reference);
    }
    ++position;
  }
  return taker.finish();
}

Result<std::vector<Content>> take_contents(const Contents& store, Database& reader, contract::RunResult& result) {
  Taker taker(store, reader);
  TRY_STATUS(taker.take_text("stdout", result.standard_output));
  TRY_STATUS(taker.take_text("stderr", result.standard_error));
  std::uint32_t position = 0;
  for (contract::Artifact& artifact : result.artifacts) {
    // Some results tell of artifacts without carrying them.
    if (!artifact.content.empty() || artifact.bytes == 0) {
      TRY_STATUS(taker.take("artifact", position, artifact.path, artifact.media_type, artifact.content));
    }
    ++position;
  }
  return taker.finish();
}

Result<contract::RunRequest> restore_request(const Contents& store, Database& reader, std::string_view json,
                                             const std::vector<ContentRow>& contents) {
  contract::RunRequest request = TRY(contract::parse_run_request(json));
  for (const ContentRow& content : contents) {
    if (content.ref.role == "code") {
      request.code = TRY(store.load(reader, content));
    } else if (content.ref.role == "stdin") {
      request.standard_input = TRY(store.load(reader, content));
    } else if (content.ref.role == "file") {
      if (content.position >= request.files.size()) {
        return fail(ErrorCode::internal_error, "the record of a run has a file that its request does not have");
      }
      request.files[content.position].content = TRY(store.load(reader, content));
    }
  }
  return request;
}

Result<contract::RunResult> restore_result(const Contents& store, Database& reader, std::string_view json,
                                           const std::vector<ContentRow>& contents) {
  contract::RunResult result = TRY(contract::parse_run_result(json));
  for (const ContentRow& content : contents) {
    if (content.ref.role == "stdout") {
      result.standard_output = TRY(store.load(reader, content));
    } else if (content.ref.role == "stderr") {
      result.standard_error = TRY(store.load(reader, content));
    }
  }
  return result;
}

}  // namespace glovebox::records
