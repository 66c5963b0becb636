// A blob on its way from the network into the store.
#pragma once

#include <memory>
#include <string>

#include "records/blob_store.h"
#include "server/http/message.h"

namespace glovebox::server {

class BlobSink final : public http::BodySink {
 public:
  [[nodiscard]] static base::Result<std::shared_ptr<BlobSink>> open(const records::BlobStore& store,
                                                                    const std::string& sha256,
                                                                    std::uint64_t max_bytes) {
    const bool known = store.has(sha256);
    auto writer = TRY(store.write(sha256, max_bytes));
    return std::shared_ptr<BlobSink>(new BlobSink(std::move(writer), known));
  }

  [[nodiscard]] base::Status append(std::string_view bytes) override { return writer_.append(bytes); }
  // Committing is the handler's: a hash that differs has an answer of its own.
  [[nodiscard]] base::Status finish() override { return {}; }

  [[nodiscard]] base::Status commit() { return writer_.commit(); }
  [[nodiscard]] std::uint64_t bytes() const { return writer_.bytes(); }
  [[nodiscard]] bool was_known() const { return known_; }

 private:
  BlobSink(records::BlobWriter writer, bool known) : writer_(std::move(writer)), known_(known) {}

  records::BlobWriter writer_;
  bool known_;
};

}  // namespace glovebox::server
