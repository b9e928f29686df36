#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare events`, and what `tare boot --events` refuses before it boots anything.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

# finds NAME STATUS TEXT ARGUMENT...: `tare` ends with that status and prints the text.
finds() {
    finds_name=$1
    finds_status=$2
    finds_text=$3
    shift 3
    expect_status "$finds_name" "$finds_status" "$TARE" "$@"
    check "$finds_name: as it must" "$(cat "$work/output")" grep -qF -- "$finds_text" "$work/output"
}

# prints NAME TEXT ARGUMENT...: `tare` prints exactly this one line.
prints() {
    prints_name=$1
    prints_text=$2
    shift 2
    prints_got=$("$TARE" "$@" 2>&1)
    check "$prints_name" "$prints_got" test "$prints_got" = "$prints_text"
}

not_wide() {
    ! grep -qE '.{81}|[[:blank:]]$' "$work/output"
}

test_listing() {
    expect_status 'this processor: its portable names' 0 "$TARE" events
    check 'this processor: all of them' "$(cat "$work/output")" \
        test "$(grep -cE '^  [a-z0-9]+(-[a-z]+)? +(0x|-)' "$work/output")" -eq 15
    finds 'another: names from the table' 0 'MEM_INST_RETIRED.ALL_LOADS' events --cpu skl
    finds 'another, by its table' 0 'amd64_fam19h_zen3, AMD64 Fam19h Zen3' events --cpu zen3
    finds 'an absent event has its reason' 0 'no such event since Nehalem' events --cpu skl
    finds 'a sum has both codes' 0 '+0x49:0x0e' events --cpu skylake
    finds 'one that libpfm4 does not know' 0 'unknown to libpfm4' events --cpu p5
    finds 'a pattern: plan entries' 0 '  ITLB_MISSES.WALK_ACTIVE@0x85:0x10:cmask=1' \
        events --cpu skl '*tlb*active'
    check 'a pattern: only what matches' 'more' not_has MEM_INST
    finds 'an event with a second register is no entry' 0 'cannot be used in a plan: it needs a second' \
        events --cpu skl 'offcore_response_0:*'
    for cpu in skl spr nhm amd64_fam15h_interlagos zen4; do
        "$TARE" events --cpu $cpu '*' >"$work/output"
        check "$cpu: 80 columns, no blanks at line ends" "$(grep -E '.{81}| $' "$work/output")" \
            not_wide
    done
    finds 'the list of processors' 0 'amd64_fam19h_zen4' events --cpu help
}

not_has() {
    ! grep -q "$1" "$work/output"
}

test_one_name() {
    prints 'a portable name' 'loads@0xd0:0x81' events --cpu skl loads
    prints 'a portable name that is a sum' \
        'dtlb-misses.1@0x08:0x0e,dtlb-misses.2@0x49:0x0e' events --cpu skl dtlb-misses
    prints "libpfm4's name" 'MEM_INST_RETIRED.ALL_LOADS@0xd0:0x81' \
        events --cpu skl MEM_INST_RETIRED:ALL_LOADS
    prints "Intel's name" 'MEM_INST_RETIRED.ALL_LOADS@0xd0:0x81' \
        events --cpu skl MEM_INST_RETIRED.ALL_LOADS
    prints 'a name with its processor' 'RETIRED_INSTRUCTIONS@0xc0:0x00' \
        events amd64_fam19h_zen3::RETIRED_INSTRUCTIONS
    finds 'a portable name that is absent' 1 'no such event since Nehalem' \
        events --cpu skl segment-loads
    finds 'one for a fixed counter only' 1 'only a fixed counter counts it' \
        events --cpu skl UNHALTED_REFERENCE_CYCLES
}

test_json() {
    "$TARE" events --cpu skl --json 'MEM_INST_RETIRED*' >"$work/events.json"
    check 'JSON: events' 'not so' jq -e '.pmu == "skl" and (.portable | length == 0) and
        ([.events[] | select(.name == "MEM_INST_RETIRED:ALL_LOADS")] ==
         [{"name": "MEM_INST_RETIRED:ALL_LOADS", "description": "All load uops retired",
           "code": "0xd0:0x81", "plan": "MEM_INST_RETIRED.ALL_LOADS@0xd0:0x81",
           "unusable": null}])' "$work/events.json" >"$work/output"
    "$TARE" events --cpu skl --json >"$work/events.json"
    check 'JSON: portable names' 'not so' jq -e '(.portable | length == 15) and
        (.events == []) and (.portable[6].codes == ["0x08:0x0e", "0x49:0x0e"]) and
        (.portable[8] | .codes == [] and .absent == "no such event since Nehalem")' \
        "$work/events.json" >"$work/output"
}

test_errors() {
    finds 'no match' 1 'no name matches "nonsense"' events --cpu skl nonsense
    finds 'no such processor' 2 '"tare events --cpu help" lists' events --cpu bogus
    finds 'a PMU outside of the core' 2 'is not a PMU of a processor core' events --cpu skx_unc_imc0
    finds 'no such unit mask' 1 "'INST_RETIRED*'" events skl::INST_RETIRED:NOSUCH
    finds 'two patterns' 2 'more than one pattern given: one and two' events one two
    finds '--cpu without a value' 2 'needs a value' events --cpu
    finds '--table with a pattern' 2 '--table takes no pattern: omit loads' events --table loads
    finds '--table as JSON' 2 '--table and --json exclude each other' events --table --json
}

# Nothing is booted: there is no image.
refused() {
    refused_name=$1
    refused_text=$2
    shift 2
    finds "boot: $refused_name" 2 "$refused_text" boot "$@" "$work/no.efi"
}

test_boot() {
    refused 'a misspelt portable name' '"tare events"' --events cycle --events-cpu p5
    refused 'an unknown name is named' '"skl::NOSUCH"' --events loads,skl::NOSUCH
    refused 'what there is, is pointed to' "tare events --cpu skl '*'" --events skl::NOSUCH
    refused 'an unknown processor' '"bogus"' --events LLC_MISSES --events-cpu bogus
    refused 'an event with a second register' 'second register' \
        --events skl::OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE
    refused 'an event outside of the core' 'counters of the core only' \
        --events skx_unc_imc0::UNC_M_CAS_COUNT
    refused 'an empty entry' 'an empty entry' --events loads,,stores
    refused 'a raw code without unit mask' 'EVENT:UMASK' --events x@0xc0
    refused 'the same name twice' 'the same name twice' --events loads,loads
    refused 'a processor without events' '--events-cpu needs --events' --events-cpu skl
    finds 'boot: a good list gets as far as the image' 1 'no.efi' boot \
        --events loads,mine@0xc0:0,x@skl::MEM_INST_RETIRED.ALL_LOADS,INST_RETIRED:ANY_P \
        --events-cpu skl "$work/no.efi"
}

# The lists that `make docs` writes contain the tables that `tare events --table` prints.
test_lists() {
    "$TARE" events --table | grep '^|' >"$work/table"
    TARE=$TARE tools/build/lists.sh "$work/docs"
    awk '/^\| event / { on = 1 } !/^\|/ { on = 0 } on' "$work/docs/counters.md" >"$work/listed"
    check 'lists: the tables of events are the program'"'"'s' \
        "$(diff "$work/listed" "$work/table" | head -n 5)" cmp -s "$work/listed" "$work/table"
    check 'lists: each processor has a table' "$(wc -l <"$work/table")" \
        test "$(grep -c '^| instructions ' "$work/table")" -ge 5
    check 'lists: they are not wide' 'they are' test "$(wc -L <"$work/table")" -le 100
}

test_listing
test_one_name
test_json
test_errors
test_boot
test_lists
finish
