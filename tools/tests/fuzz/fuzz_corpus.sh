# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# Read by fuzz.sh and fuzz_coverage.sh: what a fuzzer begins with.

# copy_corpus NAME FOLDER: of tools/tests/corpus what is its own, and for those that take the content of
# frames the shortest run of each bench, of which each wants another first byte.
copy_corpus() {
    corpora=$(dirname "$0")/corpus
    [ ! -d "$corpora/$1" ] || cp "$corpora/$1"/* "$2"
    case $1 in
    model | convolve) cp tools/tests/models/*."$1" "$2" ;;
    show) cp "$corpora"/frames/* "$2" ;;
    log | export) copy_behind '\001' "$2" ;;
    page) copy_behind '\004' "$2" ;;
    esac
}

# copy_behind BYTE FOLDER
copy_behind() {
    for run in "$corpora"/frames/*; do
        # shellcheck disable=SC2059 # a byte
        { printf "$1" && cat "$run"; } >"$2/$(basename "$run")"
    done
}
