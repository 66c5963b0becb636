// Lets forked children inherit the page tables of mapped files.
//
// A fork copies the page tables of memory that has private copies in it. Those of pure file mappings, such as program
// text, it leaves out, and every child maps them again, fault by fault; for an interpreter that is a good part of its
// start. One private page in a mapping makes the fork copy all of it.
#pragma once

namespace glovebox::guest {

// For all private, read-only file mappings of this process that are large enough to matter.
void inherit_file_pages();

}  // namespace glovebox::guest
