#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The page cache against caches by the books: which page goes at each of 10^6 accesses of four
# patterns, and all counts, for both policies.
set -u

. tools/tests/support/lib.sh

for policy in lru 2q; do
    expect_status "page cache, $policy: 10^6 accesses as a cache by the books has them" 0 \
        /usr/bin/python3 kernel/block/tests/reference_cache.py "$TEST_BIN/unit_page_cache" $policy
done

finish
