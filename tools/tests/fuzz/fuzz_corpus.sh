# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# Read by fuzz.sh, fuzz_coverage.sh and fuzz_merge.sh: what a fuzzer begins with. tools/tests/corpus has
# one file a parser, in the text form of corpus_text.h.

corpora=tools/tests/corpus
corpus_pack=build/host/corpus_pack

# unpack_corpus NAME: makes build/corpus/NAME anew, which is empty for a parser without a corpus.
unpack_corpus() {
    rm -rf "build/corpus/$1"
    mkdir -p "build/corpus/$1"
    [ ! -f "$corpora/$1.corpus" ] || "$corpus_pack" unpack "$corpora/$1.corpus" "build/corpus/$1"
}

# copy_corpus NAME FOLDER: copies what the fuzzer begins with. Fails if a corpus is damaged.
copy_corpus() {
    unpack_corpus "$1" && cp -R "build/corpus/$1/." "$2" && copy_shared "$1" "$2"
}

# copy_shared NAME FOLDER: copies what the parser takes from elsewhere. Those that take the content of
# frames get the shortest run of each bench, of which each wants another first byte.
copy_shared() {
    case $1 in
    model) cp tools/tests/models/*.model "$2" ;;
    show) unpack_corpus frames && cp build/corpus/frames/* "$2" ;;
    log | export) copy_behind '\001' "$2" ;;
    page) copy_behind '\004' "$2" ;;
    esac
}

# copy_behind BYTE FOLDER
copy_behind() {
    unpack_corpus frames || return
    for run in build/corpus/frames/*; do
        # shellcheck disable=SC2059 # a byte
        { printf "$1" && cat "$run"; } >"$2/$(basename "$run")"
    done
}
