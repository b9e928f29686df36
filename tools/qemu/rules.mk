# SPDX-License-Identifier: BSD-2-Clause

# QMP is JSON.
libs := -ljansson -lmd
