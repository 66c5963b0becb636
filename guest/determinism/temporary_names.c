// Names of temporary files. The C library draws the letters from sources that only it can reach.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "determinism.h"

enum { kLetters = 6, kTries = 10000 };

static char* letters_of(char* name, int suffix_length) {
  const size_t length = strlen(name);
  if (suffix_length < 0 || length < (size_t)suffix_length + kLetters) {
    return NULL;
  }
  char* letters = name + length - (size_t)suffix_length - kLetters;
  return memcmp(letters, "XXXXXX", kLetters) == 0 ? letters : NULL;
}

static void draw(char* letters) {
  static const char kAlphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint64_t word = 0;
  random_fill(&word, sizeof(word));
  for (int index = 0; index < kLetters; ++index) {
    letters[index] = kAlphabet[word % (sizeof(kAlphabet) - 1)];
    word /= sizeof(kAlphabet) - 1;
  }
}

// Draws until `make` does not say that the name is taken.
static int make_one(char* name, int suffix_length, int (*make)(const char* name, int flags), int flags) {
  char* letters = letters_of(name, suffix_length);
  if (letters == NULL) {
    errno = EINVAL;
    return -1;
  }
  for (int tries = 0; tries < kTries; ++tries) {
    draw(letters);
    const int made = make(name, flags);
    if (made >= 0 || errno != EEXIST) {
      return made;
    }
  }
  errno = EEXIST;
  return -1;
}

static int make_file(const char* name, int flags) {
  return open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
}
static int make_directory(const char* name, int flags) {
  (void)flags;
  return mkdir(name, 0700);
}
static int make_nothing(const char* name, int flags) {
  (void)flags;
  struct stat status;
  if (lstat(name, &status) == 0) {
    errno = EEXIST;
    return -1;
  }
  return errno == ENOENT ? 0 : -1;
}

EXPORT int mkostemps(char* name, int suffix_length, int flags) {
  return make_one(name, suffix_length, make_file, flags);
}
EXPORT int mkostemps64(char* name, int suffix_length, int flags) { return mkostemps(name, suffix_length, flags); }
EXPORT int mkstemps(char* name, int suffix_length) { return mkostemps(name, suffix_length, 0); }
EXPORT int mkstemps64(char* name, int suffix_length) { return mkostemps(name, suffix_length, 0); }
EXPORT int mkostemp(char* name, int flags) { return mkostemps(name, 0, flags); }
EXPORT int mkostemp64(char* name, int flags) { return mkostemps(name, 0, flags); }
EXPORT int mkstemp(char* name) { return mkostemps(name, 0, 0); }
EXPORT int mkstemp64(char* name) { return mkostemps(name, 0, 0); }
EXPORT char* mkdtemp(char* name) { return make_one(name, 0, make_directory, 0) == 0 ? name : NULL; }
EXPORT char* mktemp(char* name) {
  if (make_one(name, 0, make_nothing, 0) != 0) {
    name[0] = '\0';
  }
  return name;
}
