#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/mutants/image.sh [ROUND...]       (make mutants)
#
# Runs the mutants of the image, all or those of the rounds, and prints for each, with tabs: who killed it (run: the
# run's own verdict; test: the known answers; none: it survived; broken: it could not be run), its bench, what was
# falsified, the reason. With SKIP=FILE those that have a line of the file in theirs are left out.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/mutants/rounds.sh

copy_tree
catalogue image | grep -vFf "${SKIP:-/dev/null}" | in_rounds >"$work/catalogue"

# score: prints the lines of a round that was booted as $work/round.db.
score() {
    refused "$work/round.db" >"$work/refused"
    unlike "$work/round.db" >"$work/unlike"
    awk -F'\t' -v OFS='\t' '
        FILENAME ~ /broken$/ { broken[$1] = $2; next }
        FILENAME ~ /refused$/ { refused[$1] = $2; next }
        FILENAME ~ /unlike$/ { unlike[$1] = $2; next }
        $1 in broken { print "broken", $2, $3, broken[$1]; next }
        $2 in refused { print "run", $2, $3, refused[$2]; next }
        $2 in unlike { print "test", $2, $3, unlike[$2]; next }
        { print "none", $2, $3, "" }' "$work/broken" "$work/refused" "$work/unlike" "$work/round"
}

for round in ${*:-$(cut -f 1 "$work/catalogue" | sort -nu)}; do
    awk -F'\t' -v round="$round" '$1 == round { sub(/^[0-9]*\t/, ""); print }' "$work/catalogue" | {
        build_round || { echo "round $round cannot be built: $(tail -n 3 "$work/make.txt")" >&2 && mend_round && exit 1; }
        rm -f "$work/round.db"
        benches=$(cut -f 2 "$work/round" | sort | paste -sd ,)
        boot_once round --mode exact --smp 2 --bench "$benches" --plan "$mutants/plan" "$tree/build/image/tare.efi"
        if [ -s "$work/round.db" ]; then
            score
        else
            echo "round $round left no run: $(tail -n 3 "$work/round.err")" >&2
        fi
        [ -z "${KEEP-}" ] || cp "$work/round.db" "$KEEP/round$round.db"
        mend_round
    }
done
