# SPDX-License-Identifier: BSD-2-Clause


optimise := size
pure := event event_tables

# Its table is held against libpfm4's.
libs.unit_events := -lpfm
