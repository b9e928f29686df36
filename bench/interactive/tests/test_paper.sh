#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare boot --profile paper`, and the claims of the paper on that run: each verdict is the declared one, none
# is unknown. The same on the run with the data of six figures and tables damaged: these verdicts turn.
#
# PAPER_RUN=FILE uses a run that is there already. The run stays in build/paper.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}
limit=${PAPER_SECONDS:-860}
kept=build/paper
claims=bench/interactive/claims
mkdir -p "$kept"
run=${PAPER_RUN:-$kept/paper.db}

# show_claims FILE: prints each claim with its verdict on one line; sets $shown.
show_claims() {
    shown=0
    COLUMNS=1000 "$TARE" show --claims "$1" >"$work/claims" 2>&1 || shown=$?
}

# swap BENCH PHASE PHASE: SQL that gives two phases of a bench each other's name.
swap() {
    echo "UPDATE object SET name = CASE name WHEN '$2' THEN '$3' ELSE '$2' END
        WHERE bench = '$1' AND kind = 'mark' AND name IN ('$2', '$3');"
}

# mix BENCH SERIES OTHER: SQL that gives a series the samples of another one of the bench.
mix() {
    echo "UPDATE series SET (samples, crc, min, median, p99, p999, max) = (SELECT samples, crc, min, median, p99, p999,
        max FROM series AS o WHERE o.bench = '$1' AND o.name = '$3') WHERE bench = '$1' AND name = '$2';"
}

# turned ID: the claim, which is declared as reproduced, is not reproduced.
turned() {
    grep -q "^ *$1: not reproduced: .*DECLARED: reproduced" "$work/claims"
}

if [ -z "${PAPER_RUN-}" ]; then
    machine_or_finish 'profile paper'
    begun=$(date +%s)
    boot paper 0 --profile paper --timeout "$limit"
    echo "tare boot --profile paper: $(($(date +%s) - begun)) s"
    cp "$work/paper.db" "$run"
fi
show_claims "$run"
check 'claims: each verdict of the run is the declared one' \
    "$(grep -E 'DECLARED|^tare' "$work/claims" | head -n 20)" test "$shown" -eq 0
check 'claims: none is unknown, at least 60 have a verdict' "$(grep ': unknown' "$work/claims" | head -n 20)" \
    awk '/ reproduced, .* unknown/ { good = $1 + $3 + $6 >= 60 && $9 == 0 } END { exit !good }' "$work/claims"
check 'claims: what is not reproduced says why' "$(cat "$claims")" awk '
    /^[^ #]/ { bad += open; open = / [|] (not reproduced|cannot be) [|] / } /^  because ./ { open = 0 }
    END { exit bad + open > 0 }' "$claims"
for item in 1 2 3 4 5 6 7 8 9 10 11 12; do
    check "claims: figure $item has one" '' grep -q " | figure $item | " "$claims"
done

cp "$run" "$work/damaged.db"
edit_run "$work/damaged.db" "$(swap profile segmented.hand in_kernel.hand)
    $(swap desktop segmented.hand in_kernel.hand) $(mix editor class sent)
    $(swap page_down server.test in_kernel.test) $(swap writer server.hand server.test)
    $(swap longevents random periodic)" || fail 'damaged run' "$(cat "$work/edited")"
show_claims "$work/damaged.db"
check 'damaged run: the exit status is 1' "$shown" test "$shown" -eq 1
for id in f3-95 f6-held f7-short f9-server s54-background t2-law; do
    check "damaged run: $id turns" "$(grep " $id: " "$work/claims")" turned "$id"
done
finish
