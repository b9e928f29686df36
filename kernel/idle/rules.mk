# SPDX-License-Identifier: BSD-2-Clause

# Measured itself: built for speed.
optimise := speed
