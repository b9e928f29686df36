# SPDX-License-Identifier: BSD-2-Clause

# What the tests of the simulator share.
