// For the tests of this folder: runs to put into a store, and a store to put them into.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "records/store.h"

namespace glovebox::records {

inline constexpr std::int64_t kNow = 1'700'000'000'000;

inline RunStart make_start(const std::string& run_id, const std::string& code = "print(1)\n") {
  RunStart start;
  start.run_id = run_id;
  start.tenant = "acme";
  start.key_id = "key_1";
  start.created_ms = kNow;
  start.request.code = code;
  start.request_sha256 = base::sha256_hex(code);
  return start;
}

inline RunEnd make_end(const std::string& run_id, const std::string& output = "1\n") {
  RunEnd end;
  end.run_id = run_id;
  end.finished_ms = kNow + 10;
  end.result.run_id = run_id;
  end.result.outcome = contract::Outcome::ok;
  end.result.success = true;
  end.result.standard_output = output;
  end.result.stdout_bytes = output.size();
  end.result.exit_code = 0;
  end.result.metrics.wall_ms = 1.5;
  end.result.metrics.cpu_ms = 0.5;
  end.result.provenance.code_sha256 = base::sha256_hex("print(1)\n");
  end.result.provenance.enforced = {"seccomp", "landlock", "cgroup_memory"};
  return end;
}

// Bytes that do not compress, the same for the same seed.
inline std::string noise(std::size_t bytes, std::uint64_t seed = 1) {
  std::string text(bytes, '\0');
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (char& byte : text) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<char>(state & 0xffU);
  }
  return text;
}

inline contract::Artifact make_artifact(const std::string& path, const std::string& bytes) {
  contract::Artifact artifact;
  artifact.path = path;
  artifact.bytes = bytes.size();
  artifact.sha256 = base::sha256_hex(bytes);
  artifact.media_type = "application/octet-stream";
  artifact.content = bytes;
  return artifact;
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    store_.reset();
    auto opened = open_sqlite_store(directory());
    ASSERT_TRUE(opened) << base::describe(opened.error());
    store_ = std::move(*opened);
  }
  [[nodiscard]] std::string directory() const { return temporary_.path() + "/data"; }
  void put(const RunStart& start, const RunEnd& end) {
    const auto status = store_->record(start, end);
    ASSERT_TRUE(status) << base::describe(status.error());
  }
  void put(const std::string& run_id) { put(make_start(run_id), make_end(run_id)); }
  [[nodiscard]] RunRecord get(const std::string& run_id) {
    auto found = store_->find(run_id);
    EXPECT_TRUE(found) << base::describe(found.error());
    EXPECT_TRUE(*found) << run_id << " is not there";
    return **found;
  }
  void expect_sound() {
    const auto report = store_->verify_audit({});
    ASSERT_TRUE(report) << base::describe(report.error());
    EXPECT_FALSE(report->problem) << report->problem->message;
  }

  base::TemporaryDirectory temporary_{"records"};
  std::unique_ptr<Store> store_;
};

}  // namespace glovebox::records
