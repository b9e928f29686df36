# SPDX-License-Identifier: BSD-2-Clause

# On the path of every interrupt: built for speed.
optimise := speed
