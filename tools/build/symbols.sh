#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# symbols.sh IMAGE.elf: prints, as assembly, the table of the image's functions that
# kernel/cpu/symbols.c reads.
set -eu

readelf -sW "$1" | LC_ALL=C sort -k 2,2 -k 8,8 | awk '
    BEGIN { n = 0 }
    # " 12: 0000000000001000    42 FUNC    LOCAL  DEFAULT    1 name"
    $4 == "FUNC" && $7 != "UND" { address[n] = $2; name[n++] = $8 }
    END {
        if (n == 0) {
            exit 1
        }
        print ".section .symbols, \"a\"\n.long " n
        for (i = 0; i < n; i++) {
            print ".uleb128 0x" address[i] " - 0x" (i > 0 ? address[i - 1] : 0)
        }
        for (i = 0; i < n; i++) {
            print ".asciz \"" name[i] "\""
        }
        print ".section .note.GNU-stack, \"\", @progbits"
    }'
