# SPDX-License-Identifier: BSD-2-Clause

# Screens are PNG.
libs := -lpng
