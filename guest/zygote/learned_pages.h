// Which pages a child will write to, learnt from one child that did.
//
// Copying a page when it is first written to costs an interruption each time, some hundred times in a short program.
// So one child of the zygote after the other goes through the motions of a program and then looks which pages have
// become its own. Every later child asks at once for its copies of the pages that all of them wrote to: what only one
// kind of program needs would be memory and time that most cells spend in vain.
#pragma once

namespace glovebox::guest {

// In the child that went through the motions: tells what it has learnt, through the pipe.
void tell_private_pages(int pipe);
// In the zygote: remembers what such a child tells, as far as those before it told the same.
void learn_private_pages(int pipe);
// In every later child.
void copy_learned_pages();

}  // namespace glovebox::guest
