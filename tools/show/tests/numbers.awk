# SPDX-License-Identifier: BSD-2-Clause
# Finds numbers that a person reads badly in what the program prints: exponents, five digits and more without
# separators, fractions beyond four significant digits after a whole part of three, and columns of numbers that
# neither end nor begin below their heading. Not numbers: names, settings (KEY=VALUE), dates, versions, paths,
# hexadecimal digits, identifiers with leading zeros. Prints "FILE: what: line"; its status is 1 if there are any.

function complain(what, line) { print FILENAME ": " what ": " line; bad = 1 }

function check_word(word, line) {
    gsub(/^[-+(<>~]+|[]),.;:%]+$/, "", word)
    if (word ~ /^[0-9.]+[eE][-+]?[0-9]+$/) complain("exponent", line)
    if (word ~ /^[1-9][0-9][0-9][0-9][0-9]+(\.[0-9]+)?$/) complain("no separators", line)
    if (word ~ /^[0-9,]+\.[0-9]+$/) {
        digits = word
        gsub(/^[0.,]+|[.,]/, "", digits)
        if (length(digits) > 7) complain("too many digits", line)
    }
}

# Cells are two blanks apart; a cell of numbers must end where its heading ends or begin where it begins.
function cells_of(line, begins, ends,    at, n, rest) {
    n = 0; at = 1; rest = line
    while (match(rest, /[^ ]+( [^ ]+)*/)) {
        n++
        begins[n] = at + RSTART - 1; ends[n] = begins[n] + RLENGTH - 1
        at += RSTART + RLENGTH - 1; rest = substr(rest, RSTART + RLENGTH)
    }
    return n
}
function check_row(line,    n, i, k, fits, cell) {
    n = cells_of(line, b, e)
    for (i = 2; i <= n; i++) {
        cell = substr(line, b[i], e[i] - b[i] + 1)
        if (cell !~ /^[-+<>~]*[0-9][0-9,.]*( ?(%|ppm|ns|us|ms|s|ticks))?$/) continue
        fits = 0
        for (k = 1; k <= heads && !fits; k++) fits = e[i] == he[k] || b[i] == hb[k]
        if (!fits) complain("unaligned", line)
    }
}
{
    for (i = 1; i <= NF; i++) { n = split($i, parts, /\.\./); for (k = 1; k <= n; k++) check_word(parts[k], $0) }
    if ($0 == "") { table = 0; next }
    # A table begins after an empty line, with a heading of at least three cells without any number.
    if (previous == "" ) {
        heads = cells_of($0, hb, he)
        table = heads >= 3 && $0 !~ /(^| )[-+]?[0-9]+( |$)/ && $0 !~ /[|:]/
    } else if (table) check_row($0)
    previous = $0
}
{ previous = $0 }
END { exit bad }
