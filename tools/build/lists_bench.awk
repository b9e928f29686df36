# SPDX-License-Identifier: BSD-2-Clause
#
# Reads a preprocessed bench (cc -E -P) and prints each bench and its parameters, one per line, with
# fields separated by tabs:
#
#     bench   GROUP  NAME  ON_REQUEST  SUMMARY  FOLDER, the variable `folder`
#     param   BENCH  NAME  DEFAULT  TYPE  ALLOWED  MEANING
#
# In a source, a table of parameters comes before the bench that names it. With -v table=NAME, prints
# the rows of that table without a bench.

{ text = text " " $0 }

# The next token of `text` from `at`: a string literal (adjacent ones joined), a word or a sign.
function next_token(    rest, joined) {
    rest = substr(text, at)
    match(rest, /^[ \t]*/)
    at += RLENGTH
    rest = substr(text, at)
    is_string = substr(rest, 1, 1) == "\""
    if (is_string) {
        joined = ""
        while (match(rest, /^"([^"\\]|\\.)*"/)) {
            joined = joined substr(rest, 2, RLENGTH - 2)
            at += RLENGTH
            match(substr(text, at), /^[ \t]*/)
            at += RLENGTH
            rest = substr(text, at)
        }
        gsub(/\\"/, "\"", joined)
        return joined
    }
    match(rest, /^([A-Za-z_0-9.]+|<<|.)/)
    at += RLENGTH
    return substr(rest, 1, RLENGTH)
}

# Evaluates an expression of numbers: its operators of one precedence are replaced by their values.
function fold(text, operators,    sign, left, right, value) {
    while (match(text, "[0-9]+(" operators ")[0-9]+")) {
        value = substr(text, RSTART, RLENGTH)
        match(value, operators)
        left = substr(value, 1, RSTART - 1)
        sign = substr(value, RSTART, RLENGTH)
        right = substr(value, RSTART + RLENGTH)
        match(text, "[0-9]+(" operators ")[0-9]+")
        value = sign == "*" ? left * right : sign == "/" ? int(left / right) : \
            sign == "+" ? left + right : sign == "-" ? left - right : left * 2 ^ right
        text = substr(text, 1, RSTART - 1) sprintf("%.0f", value) substr(text, RSTART + RLENGTH)
    }
    return text
}

# Evaluates a number, or an expression of numbers and names of enumerations; other text stays unchanged.
function value_of(text,    inner) {
    while (match(text, /[A-Z][A-Z0-9_]*[A-Z0-9]/) && substr(text, RSTART, RLENGTH) in constant)
        text = substr(text, 1, RSTART - 1) constant[substr(text, RSTART, RLENGTH)] \
            substr(text, RSTART + RLENGTH)
    while (match(text, /[0-9][uUlL]+/))
        text = substr(text, 1, RSTART) substr(text, RSTART + RLENGTH)
    while (match(text, /\([^()]*\)/)) {
        inner = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, 1, RSTART - 1) "@" substr(text, RSTART + RLENGTH)
        sub(/@/, fold(fold(fold(inner, "[*/]"), "[-+]"), "<<"), text)
    }
    return fold(fold(fold(text, "[*/]"), "[-+]"), "<<")
}

# The values that a row allows, from its fields: items, min, max and words.
function allowed(type, name,    range, unit) {
    range = value_of(field[6]) " to " value_of(field[7])
    if (type == "numbers")
        return range ", at most " value_of(field[5])
    if (type == "time" && match(name, /[mnpu]s$/))
        return range " " substr(name, RSTART)
    if (type == "word" || type == "words")
        gsub(/,/, ", ", field[8])
    return type == "text" ? "" : field[8] ~ /^\(/ ? range : field[8]
}

# The fields between the brace at `at` and its end, as field[1..]; tokens that are not commas are joined.
function read_fields(    token, depth, n) {
    split("", field)
    n = 1
    field[1] = ""
    depth = 1
    while (at <= length(text)) {
        token = next_token()
        if (!is_string && token == "{")
            depth++
        if (!is_string && token == "}" && --depth == 0)
            return n
        if (!is_string && token == "," && depth == 1)
            field[++n] = ""
        else
            field[n] = field[n] token
    }
    return n
}

function read_table(name,    n, type) {
    rows[name] = 0
    while (at <= length(text) && next_token() != "}") {
        if (substr(text, at - 1, 1) != "{")
            continue
        n = read_fields()
        if (n == 8) {
            type = tolower(field[4])
            sub(/^param_is_/, "", type)
            row[name, ++rows[name]] = field[1] "\t" field[2] "\t" type "\t" allowed(type, field[1]) \
                "\t" field[3]
        }
    }
}

function read_bench(    n, f, equals, member) {
    split("", member)
    n = read_fields()
    for (f = 1; f <= n; f++) {
        equals = index(field[f], "=")
        if (equals > 1)
            member[substr(field[f], 1, equals - 1)] = substr(field[f], equals + 1)
    }
    print "bench\t" member[".group"] "\t" member[".name"] "\t" \
        (member[".on_request"] == "true" || member[".on_request"] == "1") "\t" member[".summary"] "\t" folder
    for (f = 1; f <= rows[member[".params"]]; f++)
        print "param\t" member[".name"] "\t" row[member[".params"], f]
}

# The names of enumerations and their values.
function read_constants(    rest) {
    rest = text
    while (match(rest, /[A-Z][A-Z0-9_]+ = [0-9]+( << [0-9]+)?[ ]*[,}]/)) {
        split(substr(rest, RSTART, RLENGTH - 1), pair, " = ")
        gsub(/ /, "", pair[2])
        constant[pair[1]] = pair[2]
        rest = substr(rest, RSTART + RLENGTH)
    }
}

END {
    read_constants()
    while (match(substr(text, at + 1), /struct bench(_param)? [a-z_0-9]+(\[[A-Z_]*\])? = \{/)) {
        head = substr(text, at + RSTART, RLENGTH)
        at += RSTART + RLENGTH
        split(head, word, / |\[/)
        if (head ~ /bench_param/)
            read_table(word[3])
        else
            read_bench()
    }
    for (f = 1; f <= rows[table]; f++)
        print row[table, f]
}
