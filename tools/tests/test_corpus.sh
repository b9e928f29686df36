#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The corpora of the fuzzers as files: each fuzzer has one, each is what corpus_pack writes, and neither
# a damaged corpus nor a folder that cannot be packed changes anything.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source-path=SCRIPTDIR source=fuzz_corpus.sh
. "$(dirname "$0")/fuzz_corpus.sh"

# same_content FOLDER FOLDER
same_content() {
    diff -r "$1" "$2" >"$work/differences" 2>&1
}

test_fuzzers() {
    for source in tools/tests/fuzz_*.c; do
        name=$(basename "$source" .c)
        name=${name#fuzz_}
        check "$name: a corpus" "$corpora/$name.corpus is missing" test -s "$corpora/$name.corpus"
    done
}

# Unpacked, packed and unpacked again, a corpus is the same.
test_corpora() {
    for corpus in "$corpora"/*.corpus; do
        name=$(basename "$corpus" .corpus)
        expect_status "$name: unpacked" 0 "$corpus_pack" unpack "$corpus" "$work/$name"
        [ -d "$work/$name" ] || continue
        "$corpus_pack" pack "$work/$name" "$work/$name.corpus"
        check "$name: as corpus_pack writes it" 'run make corpus' cmp -s "$corpus" "$work/$name.corpus"
    done
}

# Every byte value, names of all characters, and an input of no byte.
test_round_trip() {
    mkdir "$work/in"
    : >"$work/in/empty"
    printf 'text without a newline' >"$work/in/Text_1-a.b"
    i=0
    while [ "$i" -lt 256 ]; do
        # shellcheck disable=SC2059 # a byte
        printf "\\$(printf '%03o' "$i")"
        i=$((i + 1))
    done >"$work/in/bytes"
    expect_status 'a folder is packed' 0 "$corpus_pack" pack "$work/in" "$work/in.corpus"
    expect_status 'a corpus is unpacked' 0 "$corpus_pack" unpack "$work/in.corpus" "$work/back"
    check 'every byte is back' 'the folders differ' same_content "$work/in" "$work/back"
    expect_status 'no line is long, none is not ASCII' 1 \
        env LC_ALL=C grep -nE '[^ -~]|.{121}' "$work/in.corpus"
}

# refused NAME MESSAGE COMMAND...
refused() {
    refused_name=$1
    refused_message=$2
    shift 2
    expect_status "$refused_name: refused" 1 "$corpus_pack" "$@"
    check "$refused_name: $refused_message" "$(cat "$work/output")" \
        grep -qF "$refused_message" "$work/output"
}

test_refusals() {
    { cat "$work/in.corpus" && echo 'input z 4' && echo '|too long'; } >"$work/damaged.corpus"
    line=$(wc -l <"$work/damaged.corpus")
    refused 'a damaged corpus' "damaged.corpus:$line: input z has more than the 4 bytes" \
        unpack "$work/damaged.corpus" "$work/nothing"
    check 'a damaged corpus: nothing is unpacked' 'the folder is there' test ! -e "$work/nothing"
    refused 'a missing corpus' "cannot read $work/none" unpack "$work/none" "$work/nothing"

    cp "$work/in.corpus" "$work/kept.corpus"
    mkdir "$work/empty" "$work/named" "$work/large"
    : >"$work/named/a b"
    head -c 65537 /dev/zero >"$work/large/zeros"
    refused 'an empty folder' 'nothing to pack' pack "$work/empty" "$work/kept.corpus"
    refused 'a name with a blank' 'not a valid name' pack "$work/named" "$work/kept.corpus"
    refused 'an input too large' 'longer than 65536 bytes' pack "$work/large" "$work/kept.corpus"
    refused 'a missing folder' "cannot read $work/none" pack "$work/none" "$work/kept.corpus"
    check 'a refused folder: the corpus is left' 'it differs' cmp "$work/in.corpus" "$work/kept.corpus"
    check 'a refused folder: no partial file' 'it is there' test ! -e "$work/kept.corpus.partial"
    expect_status 'no operand: usage' 2 "$corpus_pack" pack
}

test_fuzzers
test_corpora
test_round_trip
test_refusals
finish
