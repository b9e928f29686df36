# SPDX-License-Identifier: BSD-2-Clause

# Reading a counter is built for speed.
optimise := size
fast := reader
pure := event event_tables

# Its table is held against libpfm4's.
libs.unit_events := -lpfm
