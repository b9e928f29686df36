# SPDX-License-Identifier: BSD-2-Clause
#
# Reads paths of source files, one a line, and prints each name that is written as a literal where a
# macro of a names.h is required (names.sh). Comments do not count.
#
# The sources show where a name is required. A place is an argument of a function, an element of an
# array, or a column or a field of a structure's initialiser. It takes macros of a kind if one of them
# is used there anywhere. The kind is the macro's first word: FACT of FACT_DEAD. Errors are:
#
#   1. in a place that takes a kind, a literal that is the text of a macro of that kind;
#   2. in the host program, a literal that is the text of a macro and not a plain word, such as
#      "gap_time", unless it is a key of JSON or a label of an enumerator; the same for a format,
#      such as "skew.%u";
#   3. a literal that is in no names.h: in the image where it publishes a kind, and in the host program
#      in a place that takes the same kind.

BEGIN {
    # libpfm4 has a PMU with the same name as our table.
    allowed["bench/counters/host/event_names.c p6"] = 1
    # The name of the amount of input that a command has read, which is not a series.
    allowed["tools/base/progress.c B"] = 1
    while ((getline path) > 0) {
        read_file(path)
    }
    judge()
}

# ---- names ----

function kind_of(macro) {
    return substr(macro, 1, index(macro, "_") - 1)
}

function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}

function read_name(line, words) {
    if (split(line, words, " ") >= 3 && words[1] == "#define" && words[3] ~ /^"/) {
        text_of[words[2]] = substr(words[3], 2, length(words[3]) - 2)
        folder_with[words[2]] = folder_of(file)
        macros[text_of[words[2]]] = macros[text_of[words[2]]] " " words[2]
        names++
    }
}

# ---- tokens ----

function read_file(path, line) {
    file = path
    number = in_comment = 0
    forget_statement()
    find_static()
    while ((getline line < path) > 0) {
        number++
        if (path ~ /\/names\.h$/) {
            read_name(line)
        } else if (line !~ /^#include/) {
            read_line(line)
        }
    }
    close(path)
}

# Static functions are different in each file.
function find_static(line) {
    split("", is_static)
    while ((getline line < file) > 0) {
        if (match(line, /(^|\) )static [^=(]*[ *][a-z_0-9]+\(/)) {
            line = substr(line, RSTART, RLENGTH - 1)
            sub(/.*[ *]/, "", line)
            is_static[line] = 1
        }
    }
    close(file)
}

function read_line(rest, token, end) {
    if (rest ~ /^#define/) {
        forget_statement()
    }
    while (rest != "") {
        if (in_comment) {
            end = index(rest, "*/")
            if (end == 0) {
                return
            }
            in_comment = 0
            rest = substr(rest, end + 2)
        }
        if (!match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_][A-Za-z_0-9]*|\/\*|\/\/|[][(){},;=.]/)) {
            return
        }
        token = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "//") {
            return
        }
        in_comment = token == "/*"
        if (!in_comment) {
            read_token(token)
            before_last = last
            last = token
        }
    }
}

function forget_statement() {
    depth = 0
    word = tag = variable = field = closed = ""
}

function read_token(token) {
    if (token == "(") {
        open_call()
    } else if (token == "{") {
        open_brace()
    } else if (token == ")" || token == "}") {
        closed = callee[depth]
        field = ""
        depth -= depth > 0
    } else if (token == ",") {
        column[depth]++
        field = ""
    } else if (token == ";") {
        forget_statement()
    } else if (token == "[" && depth == 0) {
        variable = word "[]"
    } else if (token == "=") {
        field = before == "." ? word : field
        variable = depth == 0 && variable == "" ? word : variable
    } else if (token ~ /^"/) {
        note_text(substr(token, 2, length(token) - 2))
    } else if (token ~ /^[A-Za-z_]/) {
        read_word(token)
    }
}

function read_word(token) {
    tag = word == "struct" ? token : tag
    before = last
    word = token
    if (depth > 0 && column[depth] == 0 && callee[depth] ~ /cmp$/) {
        compared[depth] = token
    }
    if (token ~ /^[A-Z]+_[A-Z0-9_]+$/) {
        note("macro", token)
    }
}

# ---- places ----

function open_call() {
    depth++
    column[depth] = 0
    compared[depth] = ""
    callee[depth] = last ~ /^[A-Za-z_]/ ? word : ""
    scope[depth] = callee[depth] (callee[depth] in is_static ? "@" file : "")
}

# A block of code that follows a call or a word is not a place.
function open_brace() {
    if (last !~ /^[=,{)]$/ || (last == ")" && closed != "")) {
        forget_statement()
        return
    }
    depth++
    column[depth] = 0
    callee[depth] = callee[depth - 1] == "JSON_COUNTS" ? "JSON_COUNTS" : ""
    field = ""
    tag = last == "=" && closed == "PLUGIN_REGISTER" ? "report_plugin" : tag
    has_rows[depth] = last == "=" && tag != "" && variable ~ /\[\]$/
    if (last == ")" || last == "=") {
        scope[depth] = tag != "" ? "struct " tag : variable "@" file
    } else {
        scope[depth] = scope[depth - 1] (has_rows[depth - 1] ? "" : "{}")
    }
}

# Comparison functions take any text: their place depends on what is compared.
function place() {
    if (depth == 0 || scope[depth] == "" || scope[depth] == "@" file || callee[depth] ~ /printf$/) {
        return ""
    }
    if (callee[depth] ~ /cmp$/) {
        return callee[depth] " " compared[depth]
    }
    if (scope[depth] ~ /\[\]@[^{}]*$/) {
        return scope[depth]
    }
    return scope[depth] " " (field != "" ? "." field : column[depth])
}

function note(what, value) {
    events++
    event_what[events] = what
    event_value[events] = value
    event_place[events] = place()
    event_file[events] = file
    event_at[events] = file ":" number
    event_callee[events] = depth > 0 ? callee[depth] : ""
}

# The label of an enumerator follows the enumerator or its index.
function note_text(value) {
    note("text", value)
    is_label[events] = (last == "," && before_last ~ /^[A-Z]+_/) || (last == "=" && before_last == "]")
}

# ---- checks ----

function judge(i, key, part) {
    for (i = 1; i <= events; i++) {
        if (event_what[i] == "macro" && event_value[i] in text_of && event_place[i] != "") {
            takes[event_place[i]] = takes[event_place[i]] " " kind_of(event_value[i]) " "
        }
    }
    for (i = 1; i <= events; i++) {
        if (event_what[i] == "text" && event_value[i] in macros) {
            judge_name(i)
        } else if (event_what[i] == "text" && is_host(event_file[i]) && event_value[i] ~ /%/) {
            judge_format(i, event_value[i])
        } else if (event_what[i] == "text" && event_place[i] in takes) {
            keep_unnamed(i)
        }
    }
    for (key in published) {
        if (key in looked_up) {
            split(key, part, SUBSEP)
            print looked_up[key] ": \"" part[2] "\" is published at " published[key] ", and no names.h has it"
            count++
        }
    }
    printf "%d names in names.h, %d typed again\n", names, count
    exit (count > 0)
}

function judge_name(i, list, n, j) {
    n = split(macros[event_value[i]], list, " ")
    for (j = 1; j <= n; j++) {
        if (belongs(i, list[j]) && !((event_file[i] " " event_value[i]) in allowed)) {
            print event_at[i] ": \"" event_value[i] "\" is " list[j] " of " folder_with[list[j]] "/names.h"
            count++
            return
        }
    }
}

# A format without blanks that consists of a part of a name and a dot: "%s.x", "cache.%u".
function judge_format(i, value) {
    gsub(/%[-+.0-9*]*[lzh]*[a-zA-Z]?/, "", value)
    if (value ~ /\.$/) {
        value = substr(value, 1, length(value) - 1)
    } else if (value !~ /^\./) {
        return
    }
    if (!(value in macros) && value ~ /^\./) {
        value = substr(value, 2)
    }
    if (value in macros) {
        print event_at[i] ": \"" event_value[i] "\" holds the text of" macros[value]
        count++
    }
}

# Files of the host program: tools/, and the host part of each group of benches.
function is_host(path) {
    return path ~ /^tools\/|^bench\/[^\/]*\/host\//
}

# Benches of one group do not publish names of another group.
function belongs(i, macro) {
    if (event_file[i] ~ /^bench\// && !is_host(event_file[i]) && folder_with[macro] !~ /^kernel\/./ &&
        folder_with[macro] != folder_of(event_file[i])) {
        return 0
    }
    return index(takes[event_place[i]], " " kind_of(macro) " ") > 0 || is_retyped(i)
}

function is_retyped(i) {
    return is_host(event_file[i]) && event_value[i] ~ /[_.@-]|[a-z][0-9]/ && !is_label[i] &&
           event_callee[i] !~ /^(json_|JSON_COUNTS$|put_|__builtin_)/
}

function keep_unnamed(i, list, n, j) {
    n = event_value[i] ~ /^[A-Za-z_][A-Za-z_0-9.@-]*$/ ? split(takes[event_place[i]], list, " ") : 0
    for (j = 1; j <= n; j++) {
        if (is_host(event_file[i])) {
            looked_up[list[j], event_value[i]] = event_at[i]
        } else if (event_callee[i] !~ /cmp$/) {
            published[list[j], event_value[i]] = event_at[i]
        }
    }
}
