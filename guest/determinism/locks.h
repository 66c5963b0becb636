#pragma once

// The futex call with its six arguments, for one of the commands that wait.
long futex_wait(const long* arguments);
