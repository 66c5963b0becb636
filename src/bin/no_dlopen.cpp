// A static program opens no shared library: SQLite would for extensions, OpenSSL for engines, and nobody here asks for
// either. glibc's own dlopen would look for the host's libraries at run time, which the linker rightly warns about.
// With -Wl,--wrap=dlopen they get this one, which says no.
extern "C" void* __wrap_dlopen(const char* /*file*/, int /*mode*/) {  // NOLINT(bugprone-reserved-identifier)
  return nullptr;
}
