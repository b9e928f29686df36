#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=hour: bench gap on 4 processors in exact time for a virtual hour (HOUR_MINUTES=60): gaps
# made on purpose are found, the maxima are exact, and neither the image's memory nor the log grows
# with the length, beyond the records of progress; what 24 hours would take.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

limit=3000
minutes=${HOUR_MINUTES:-60}
bench='.benches[] | select(.name == "gap")'

# play NAME MINUTES
play() {
    echo "gap: $2 virtual minutes on 4 processors" >&2
    boot "$1" 0 --shift 8 --smp 4 --bench gap --set gap.ms=$(($2 * 60000)) \
        --set gap.threshold_ns=200000 --set gap.inject_world=200 --set gap.inject_local=200 \
        --set gap.inject_us=20000 >&2
}

# watched NAME: bytes that the watches of all processors took.
watched() {
    value "$1" "[$bench | .facts | to_entries[] | select(.key | startswith(\"watch_bytes\")) |
        .value] | add"
}

play minute 1
play long "$minutes"
value long "$bench | .processors[] | \"processor \(.number): \(.gaps) gaps, \(.world) of all, \" +
    \"\(.local) of it, \(.unknown) unknown; longest \(.longest_ticks) ticks at \(.longest_at_ticks)\""

# All gaps are kept here: the exact maximum is the longest of them, and no shorter than any gap that
# its processor made.
check 'the maximum is the longest of all gaps, and of those that were made' 'it is not' \
    python3 - "$work/long.db" <<'PY'
import plain, struct, sys
db = plain.connect(sys.argv[1])
facts = dict(db.execute("SELECT name, value FROM fact WHERE bench = 'gap'"))
def series(name):
    row = db.execute("SELECT samples FROM series WHERE bench = 'gap' AND name = ?", (name,)).fetchone()
    return list(struct.unpack("<%dq" % (len(row[0]) // 8), row[0])) if row else []
for tail in ("", ".1", ".2", ".3"):
    kept, made = series("gap_length" + tail), series("injected_length" + tail)
    print("processor%s: longest %d of %d gaps, longest made here %d of %d"
          % (tail, facts["largest" + tail], facts["over" + tail], max(made), len(made)))
    if len(kept) != facts["over" + tail] or max(kept) != facts["largest" + tail] or \
            facts["largest" + tail] < max(made):
        sys.exit(1)
PY
check 'memory does not grow' "$(watched minute) and $(watched long) bytes" \
    [ "$(watched minute)" = "$(watched long)" ]
minute_log=$(wc -c <"$work/minute.log")
long_log=$(wc -c <"$work/long.log")
# At most 17,000 rounds a day have a record of at most 300 bytes for the first processor, and 1,750 one
# for each other that sees no gap (live_gaps.h).
day_log=$((minute_log + (17000 + 1750 * 3) * 300))
echo "log: $minute_log bytes of a minute, $long_log of $minutes minutes, at most $day_log of a day (bar 10 MB)"
echo "memory of all watches: $(watched long) bytes, of a day the same (bar 64 MiB)"
check 'log of a day below 10 MB' "$day_log" [ "$day_log" -le 10000000 ]
check 'log of the long watch is within that' "$long_log" [ "$long_log" -le "$day_log" ]
check 'memory of a day below 64 MiB' "$(watched long)" [ "$(watched long)" -le 67108864 ]
finish
