#pragma once

// stat, lstat, fstat, newfstatat or statx with their arguments.
long stat_call(const long* arguments, long number);
