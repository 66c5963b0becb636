"""Helpers of the Python suites: calling the binary, being another user, looking for what a run left behind."""
