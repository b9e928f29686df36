# SPDX-License-Identifier: BSD-2-Clause

# What the tests of several rooms share.
libs := -ljansson
