# SPDX-License-Identifier: BSD-2-Clause
#
# A covering array: few configurations in which every value of every factor meets every value of
# every other factor at least once.
#
#     awk [-v forbid='FACTOR=VALUE FACTOR=VALUE;...'] [-v mode=pairs|all] -f pairs.awk FACTORS
#
# Each line of FACTORS is a factor and its values; # begins a comment. A configuration is a line of
# one value a factor, in their order. Pairs in `forbid` never meet. mode=all: every configuration
# that is allowed. mode=check: reads configurations from standard input behind FACTORS (-), and fails
# if one is forbidden or a pair is missing.
#
# Greedy: keeps the best of a hundred candidates. Each starts with a missing pair and is filled in
# random order with the values that meet most missing pairs. The same FACTORS give the same list
# everywhere: draw() generates the order.

function draw(limit) {
    seed = (seed * 16807) % 2147483647
    return seed % limit
}

# The pair's name, the same whichever factor comes first.
function pair(f, u, g, v) {
    return f < g ? f SUBSEP u SUBSEP g SUBSEP v : g SUBSEP v SUBSEP f SUBSEP u
}

function read_forbidden(text,    rule, rules, side, i) {
    rules = split(text, rule, ";")
    for (i = 1; i <= rules; i++) {
        if (split(rule[i], side, /[= ]/) != 4 || !(side[1] in number) || !(side[3] in number)) {
            print "pairs: forbid: not so: " rule[i] >"/dev/stderr"
            exit failed = 2
        }
        forbidden[pair(number[side[1]], side[2], number[side[3]], side[4])]
    }
}

function list_missing(    f, g, i, j, name) {
    for (f = 1; f <= factors; f++)
        for (g = f + 1; g <= factors; g++)
            for (i = 1; i <= values[f]; i++)
                for (j = 1; j <= values[g]; j++) {
                    name = pair(f, value[f, i], g, value[g, j])
                    if (!(name in forbidden)) {
                        missing[name]
                        missing_count++
                    }
                }
}

# How many missing pairs factor f with value v makes with what is set in row; -1 if forbidden.
function gain(row, f, v,    g, name, sum) {
    sum = 0
    for (g = 1; g <= factors; g++) {
        if (g == f || row[g] == "")
            continue
        name = pair(f, v, g, row[g])
        if (name in forbidden)
            return -1
        sum += name in missing
    }
    return sum
}

# Sets the rest of the row, factors in random order; returns the pairs it covers, -1 if it cannot be.
function fill(row,    order, f, i, j, best, best_gain, got, sum) {
    for (f = 1; f <= factors; f++) {
        j = draw(f) + 1
        order[f] = order[j]
        order[j] = f
    }
    sum = row["gain"]
    for (i = 1; i <= factors; i++) {
        f = order[i]
        if (row[f] != "")
            continue
        best_gain = -1
        j = draw(values[f])
        for (got = 0; got < values[f]; got++) {
            row["try"] = value[f, (j + got) % values[f] + 1]
            row["try_gain"] = gain(row, f, row["try"])
            if (row["try_gain"] > best_gain) {
                best_gain = row["try_gain"]
                best = row["try"]
            }
        }
        if (best_gain < 0)
            return -1
        row[f] = best
        sum += best_gain
    }
    return sum
}

# The missing pairs as a list, in the order of factors and values.
function pick_missing(row, which,    f, g, i, j, name) {
    for (f = 1; f <= factors; f++)
        row[f] = ""
    for (f = 1; f <= factors; f++)
        for (g = f + 1; g <= factors; g++)
            for (i = 1; i <= values[f]; i++)
                for (j = 1; j <= values[g]; j++) {
                    name = pair(f, value[f, i], g, value[g, j])
                    if (name in missing && which-- == 0) {
                        row[f] = value[f, i]
                        row[g] = value[g, j]
                        row["gain"] = 1
                        return
                    }
                }
}

function line(row,    f, text) {
    text = row[1]
    for (f = 2; f <= factors; f++)
        text = text " " row[f]
    return text
}

function cover(row,    f, g, name) {
    for (f = 1; f <= factors; f++)
        for (g = f + 1; g <= factors; g++) {
            name = pair(f, row[f], g, row[g])
            if (name in forbidden)
                clash = clash line(row) "\n"
            if (name in missing) {
                delete missing[name]
                missing_count--
            }
        }
}

function make_pairs(    candidate, row, got, best, best_line, field) {
    while (missing_count > 0) {
        best = 0
        for (candidate = 0; candidate < 100; candidate++) {
            pick_missing(row, draw(missing_count))
            got = fill(row)
            if (got > best) {
                best = got
                best_line = line(row)
            }
        }
        if (best == 0) {
            print "pairs: a pair that nothing completes" >"/dev/stderr"
            exit failed = 1
        }
        split(best_line, field, " ")
        cover(field)
        print best_line
    }
}

function make_all(row, f,    i) {
    if (f > factors) {
        print line(row)
        return
    }
    for (i = 1; i <= values[f]; i++) {
        if (gain(row, f, value[f, i]) < 0)
            continue
        row[f] = value[f, i]
        make_all(row, f + 1)
        row[f] = ""
    }
}

BEGIN { seed = 20 }

{ sub(/#.*/, "") }

mode == "check" && FILENAME == "-" {
    given[++rows] = $0
    next
}

NF > 2 {
    number[$1] = ++factors
    values[factors] = NF - 1
    for (i = 2; i <= NF; i++)
        value[factors, i - 1] = $i
}

END {
    if (failed)
        exit failed
    read_forbidden(forbid)
    list_missing()
    if (mode == "all") {
        for (f = 1; f <= factors; f++)
            row[f] = ""
        make_all(row, 1)
    } else if (mode == "check") {
        for (i = 1; i <= rows; i++) {
            split(given[i], field, " ")
            cover(field)
        }
        if (clash != "" || missing_count > 0) {
            printf "%s%d pairs are missing\n", clash, missing_count >"/dev/stderr"
            exit 1
        }
    } else
        make_pairs()
}
