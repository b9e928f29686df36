# SPDX-License-Identifier: BSD-2-Clause

optimise := speed
tested := page_cache
