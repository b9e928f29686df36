# SPDX-License-Identifier: BSD-2-Clause

# The path of a page fault is measured: built for speed.
optimise := speed
