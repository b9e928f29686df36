# SPDX-License-Identifier: BSD-2-Clause
#
# The table of plan keys of README as lines "KEY DEFAULT", one a key; - where the table has no word for
# the default of its own, or several.
#
#     | `ipi.samples`; `lines.trials`, `.repetitions`; `contention.*` the same | 100; 5, 200; 5, 200 | ...
#
# A name without a bench belongs to the one before; where several benches stand before it without names,
# to each of them.

/^\| key \| default \|/ { inside = 1; next }
!/^\|/ { inside = 0 }

function take(token,    dot) {
    gsub(/^ +| +$/, "", token)
    dot = index(token, ".")
    if (dot != 1) {
        benches = (several ? benches : "") " " (dot ? substr(token, 1, dot - 1) : token)
    }
    several = !dot
    if (dot) {
        name[++names] = substr(token, dot + 1)
        of[names] = benches
    }
}

function print_group(defaults,    n, b, word, value, bench, count) {
    split(defaults, word, ",")
    for (n = 1; n <= names; n++) {
        value = word[n]
        gsub(/^ +| +$/, "", value)
        if (value == "" || value == "all" || value ~ / /)
            value = "-"
        count = split(of[n], bench, " ")
        for (b = 1; b <= count; b++)
            print bench[b] "." name[n], value
    }
}

inside && !/^\|-/ {
    gsub(/`/, "")
    split($0, cell, "|")
    groups = split(cell[2], group, ";")
    split(cell[3], defaults, ";")
    several = 0
    for (g = 1; g <= groups; g++) {
        if (group[g] ~ /\.\* the same/) {
            for (n = 1; n <= names; n++)
                of[n] = substr(group[g], 1, index(group[g], ".") - 1)
        } else {
            names = 0
            tokens = split(group[g], token, ",")
            for (t = 1; t <= tokens; t++)
                take(token[t])
        }
        print_group(defaults[g])
    }
}
