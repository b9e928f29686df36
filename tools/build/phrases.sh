#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/phrases.sh [--count] [FILE...]
#
# Prints each construction of the table tools/build/phrases in these files; without FILE, in all
# READMEs, sources and scripts of the checkout but tests and text_dictionary.c: that is data of the
# text codec, not text, and its checksum is fixed. --count prints CLASS HITS WORDS.
set -eu

count=0
if [ "${1-}" = --count ]; then
    count=1
    shift
fi
if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/../.."
    # shellcheck disable=SC2046 # no name has a blank
    set -- $(git ls-files | grep -E '\.(md|c|h|S|def|sh|awk|mk)$' | grep -vE '(^|/)(tests|corpus)/.*\.[^m]|corpus/|/text_dictionary[.]c$' |
        while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
fi
exec awk -v count="$count" -f "$(dirname "$0")/phrases.awk" "$(dirname "$0")/phrases" "$@"
