// Splits a process in two that share their memory: one becomes the program's, the other keeps the memory.
//
// A process that ends takes its memory down first, page by page, and only then can anybody learn that it has ended: a
// third of a millisecond for a plain interpreter, two with pandas loaded. With a keeper, the program's end is known at
// once, and the memory goes when the keeper is killed, while nobody waits.
//
// The keeper shares memory with a hostile program, so it must never run again. It blocks every signal that can be
// blocked, closes all descriptors and sleeps in a system call that only a handler could end; what reaches it is
// SIGKILL. It is not in the cell's process namespace: the program neither sees nor reaches it. Should it run all the
// same, it is sealed as the program is, by the same filter, landlock domain, limits and user.
#pragma once

namespace glovebox::guest {

// Finds out what the C library has told the kernel about its thread, for the program's process to tell again. False:
// this kernel does not say, and no program can be split off.
bool learn_thread();

// Returns 0 in the program's process, which is an orphan in the process namespace that the caller's children are born
// into; returns an errno in the caller if that failed, and otherwise never returns there.
int split_off_program();

}  // namespace glovebox::guest
