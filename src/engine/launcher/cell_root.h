// Builds the file tree of a cell, between clone and exec: a read-only root with the image, one sized tmpfs for all that
// the program may write, a procfs of its own.
//
// Cold cells build everything and pivot into it. In a nursery the image is mounted already, once for all its cells;
// each adds only what is its own.
#pragma once

#include <cstdint>

#include "engine/launcher/cell_child.h"
#include "engine/launcher/cell_reporter.h"

namespace glovebox::engine {

class CellRoot {
 public:
  CellRoot(const CellPlan& plan, const CellReporter& reporter) : plan_(plan), spec_(*plan.spec), reporter_(reporter) {}

  // After it the current directory is the new root, read-only, and nothing of the old one is left.
  void build();
  // No inode of the host's files is within reach, for locks, watches or leases.
  [[nodiscard]] bool image_covered() const { return covers_ && !shares_inodes_; }

 private:
  void require(bool done, CellStage stage, int detail = 0) const { reporter_.require(done, stage, detail); }

  void find_blobs();
  void mount_root();
  void attach_devices();
  void mount_scratch();
  void hand_over_scratch(int scratch_mount);
  void add_root_entries();
  void add_blobs();
  void enter();

  bool add(const RootEntry& entry);
  bool make_mount_point(const char* target, bool directory);
  bool bind(int directory, const char* source, unsigned extra, std::uint64_t attributes, const char* target);
  static int overlay_of(const char* source);
  bool cover(const char* source, const char* target);
  bool copy_file(const char* source, const char* target);
  bool add_device(const RootEntry& entry);
  bool write_small_file(const RootEntry& entry);
  bool mount_proc(const char* target);
  bool keep_support(const RootEntry& entry);

  const CellPlan& plan_;
  const CellSpec& spec_;
  const CellReporter& reporter_;
  int scratch_ = -1;
  bool covers_ = false;  // directories are behind overlays
  bool shares_inodes_ = false;
};

}  // namespace glovebox::engine
