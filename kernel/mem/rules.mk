# SPDX-License-Identifier: BSD-2-Clause

# The path of a page fault is built for speed.
optimise := size
fast := address_space page_pool
