#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Five boots of 1300 made-up characters at 100 words a minute, each with another seed
# (`make bench ONLY=seeds`): elapsed time varies as the typist's law has it (kernel/input/typist.h:
# deviation sqrt(sum of w * w) * 12 s / wpm / W * 0.257, 1.154 to 1.160 s for these texts). Of five
# values the variance over the law's is chi-squared of 4 degrees of freedom, over 4: 998 of 1000 are
# between 0.0227 and 4.617, so that deviations are between 0.151 and 2.149 of the law's.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

law_ms=1157

for seed in 1 2 3 4 5; do
    boot "seed-$seed" 0 --shift 7 --bench keystroke \
        --set "input.script={type characters=1300 wpm=100 seed=$seed}"
done

# Deviation of elapsed time in ms: instructions of 128 ns.
deviation=$("$TARE" compare --aa --all --json "$work"/seed-?.db 2>/dev/null |
    jq '.metrics[] | select(.name == "keystroke.elapsed") | .deviation * .mean * 128 / 1000000')
check "elapsed time of five seeds varies as the typist's law has it" \
    "deviation ${deviation:-missing} ms, by the law $law_ms ms" \
    awk -v found="${deviation:-0}" -v law=$law_ms \
    'BEGIN { exit !(found > 0.151 * law && found < 2.149 * law) }'
printf 'deviation over five seeds: %s ms; by the law %s ms\n' "$deviation" "$law_ms"
expect_status 'tare report of five runs' 0 "$TARE" report "$work"/seed-?.db -o "$work/seeds.html"
finish
