# SPDX-License-Identifier: BSD-2-Clause
#
# Prints the table of modules (modules) as make variables: FOLDERS; uses.MODULE as in the table, reach.MODULE with
# all modules that these use in turn; KEY.MODULE for each key below a module, where sources become paths;
# KEY.NAME unchanged. Exit status 1 if a key is unknown.

BEGIN {
    split("pure hosted tested apart programs plain small fast ring3", lists, " ")
    for (i in lists) {
        sources[lists[i]] = 1
    }
    split("optimise flags libs foreign test_flags", others, " ")
    for (i in others) {
        words[others[i]] = 1
    }
    split("needs libs fuzz_wraps", named, " ")
    for (i in named) {
        of_name[named[i]] = 1
    }
}

/^[a-z]/ {
    module = $1
    sub(/:$/, "", module)
    order[++modules] = module
    for (i = 2; i <= NF; i++) {
        uses[module] = uses[module] " " $i
    }
}

/^ +[a-z]/ {
    key = $1
    sub(/:$/, "", key)
    value = $0
    sub(/^ +[^ ]+ */, "", value)
    split(key, part, ".")
    if (key ~ /\./ ? !(part[1] in of_name) : !(key in sources || key in words)) {
        printf "%s: module %s has a key \"%s\", which there is not\n", FILENAME, module, key >"/dev/stderr"
        failed = 1
        exit 1
    }
    if (!((module, key) in values)) {
        keys[++count] = module SUBSEP key
    }
    values[module, key] = values[module, key] " " value
}

function reach(module, seen, part, n, i) {
    n = split(uses[module], part, " ")
    for (i = 1; i <= n; i++) {
        if (!(part[i] in seen)) {
            seen[part[i]] = 1
            reach(part[i], seen)
        }
    }
}

function print_key(module, key, value) {
    if (key ~ /\./) {
        print key " =" value
    } else if (!(key in sources)) {
        print key "." module " :=" value
    } else if (key == "ring3" && value == " all") {
        print "ring3." module " := $(call all_sources," module ")"
        print "ring3_alone." module " := $(ring3." module ")"
    } else {
        print key "." module " := $(call sources," module "," substr(value, 2) ")"
    }
}

END {
    if (failed) {
        exit 1
    }
    for (k = 1; k <= modules; k++) {
        split("", seen)
        reach(order[k], seen)
        list = ""
        for (j = 1; j <= modules; j++) {
            if (order[j] in seen) {
                list = order[j] " " list
            }
        }
        print "uses." order[k] " :=" uses[order[k]]
        print "reach." order[k] " := " list
        if (order[k] !~ /\/tests$/) {
            print "FOLDERS += " order[k]
        }
    }
    for (k = 1; k <= count; k++) {
        split(keys[k], part, SUBSEP)
        print_key(part[1], part[2], values[part[1], part[2]])
    }
}
