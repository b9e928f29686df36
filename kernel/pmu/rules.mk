# SPDX-License-Identifier: BSD-2-Clause

# Reading a counter is built for speed.
optimise := size
fast := reader
pure := event event_tables
