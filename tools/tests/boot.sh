# SPDX-License-Identifier: BSD-2-Clause
#
# Common to the tests that boot the image; sourced after lib.sh.
#
# shellcheck shell=sh

image=${IMAGE:-build/image/tare.efi}
limit=300

# boot NAME STATUS OPTION...: boots in exact mode into $work/NAME.log and .db, and passes if `tare
# boot` ends with STATUS. What it says goes to $work/NAME.err.
boot() {
    boot_name=$1
    boot_status=$2
    shift 2
    boot_got=0
    timeout $limit "$TARE" boot --mode exact --log "$work/$boot_name.log" \
        -o "$work/$boot_name.db" "$@" >"$work/$boot_name.out" 2>"$work/$boot_name.err" || boot_got=$?
    if [ "$boot_got" -eq "$boot_status" ]; then
        pass "$boot_name: ends with status $boot_status"
    else
        fail "$boot_name: ends with status $boot_status" \
            "it ended with $boot_got: $(tail -n 3 "$work/$boot_name.err" | tr '\n' ' ')"
    fi
}

# json NAME FILTER: true if jq's filter, on the run's JSON, says true.
json() {
    "$TARE" show --json "$work/$1.db" >"$work/json" 2>/dev/null
    [ -s "$work/json" ] && jq -e "$2" "$work/json" >/dev/null 2>&1
}

# value NAME FILTER: what jq's filter says.
value() {
    "$TARE" show --json "$work/$1.db" 2>/dev/null | jq -r "$2" 2>/dev/null
}

# all_ok NAME BENCH...: the run is valid and each of these benches is OK.
all_ok() {
    all_name=$1
    shift
    json "$all_name" '.run.valid' || return 1
    for all_bench in "$@"; do
        json "$all_name" ".benches[] | select(.name == \"$all_bench\") | .status == \"OK\"" ||
            return 1
    done
}

# says NAME TEXT: the log holds the text, between frames or inside one.
says() {
    grep -aqF "$2" "$work/$1.log" "$work/$1.err"
}
