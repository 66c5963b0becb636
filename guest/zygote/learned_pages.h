// Which pages a child will write to, learnt from one child that did.
//
// Copying a page when it is first written to costs an interruption each time, some hundred times in a short program.
// So one child of the zygote goes through the motions of a program and then looks which pages have become its own.
// Every later child asks for its copies of those pages at once.
#pragma once

namespace glovebox::guest {

// In the child that went through the motions: tells what it has learnt, through the pipe.
void tell_private_pages(int pipe);
// In the zygote: remembers what such a child tells.
void learn_private_pages(int pipe);
// In every later child.
void copy_learned_pages();

}  // namespace glovebox::guest
