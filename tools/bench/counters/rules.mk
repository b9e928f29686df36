# SPDX-License-Identifier: BSD-2-Clause

# libpfm4 knows the names of events.
libs := -lpfm
