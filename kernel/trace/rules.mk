# SPDX-License-Identifier: BSD-2-Clause

# The host program reads what the recorder writes; only tests run the recorder itself.
optimise := size
tested := account recorder
