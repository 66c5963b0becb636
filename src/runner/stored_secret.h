// Whether a recorded run keeps a secret (O2): tried with a made-up one that a program meets in every way there is.
#pragma once

#include "runner/hardening.h"

namespace glovebox::runner {

struct StoredSecret {
  bool redacted = false;
  std::string detail;
};

// Makes a Runner that keeps records in a temporary directory, runs a program in it whose text, standard input, file,
// argument, output and artifact have a secret, and reads what was kept: the record as the store gives it back, and
// every byte of every file. The words beside the secret must be there, or nobody has looked in the right place.
[[nodiscard]] StoredSecret try_to_store_a_secret(const ProofOptions& options, const ProbeRun& run);

}  // namespace glovebox::runner
