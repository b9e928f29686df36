# SPDX-License-Identifier: BSD-2-Clause

# Tests that need several rooms, none of which is above the others.
