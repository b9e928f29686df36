# SPDX-License-Identifier: BSD-2-Clause
#
# Reads the table tools/build/phrases, then sources, Markdown and scripts. Prints each hit:
#
#     FILE:LINE: NAME: the text around it -> ADVICE
#
# With -v count=1 it prints CLASS HITS WORDS for each class of texts instead: comments, readmes, help
# (strings of tools/cmd and of *.def) and messages (all other strings). Texts of up to three words,
# code blocks and `code` of Markdown are left out. With -v examples=1 it reads only the table, and
# prints NAME and the number of hits of that rule in its example.

function trim(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

# A pattern of the table as one of awk.
function expression(text) {
    gsub(/[<>]/, "[^A-Za-z0-9_]", text)
    gsub(/@/, "\001 ?", text)
    gsub(/\^/, "^ \001 ", text)
    gsub(/\[\^ \001 /, "[^", text)
    gsub(/\$$/, " $", text)
    return text
}

# A text with a blank at both ends, and \001 before each sentence.
function marked(text) {
    gsub(/[.;:!?] /, "&\001 ", text)
    return " \001 " text " "
}

function hits_of(rule, text, class,    rest, n, before, after) {
    if (only_comments[rule] && (class != "comments" || length(text) > 80)) {
        return 0
    }
    rest = marked(text)
    n = 0
    while (match(rest, pattern[rule])) {
        before = substr(rest, 1, RSTART - 1)
        after = substr(rest, RSTART)
        if (except[rule] == "" || match(after, except[rule]) != 1) {
            n++
            if (!count && !examples) {
                print_hit(rule, before, after)
            }
        }
        rest = substr(after, 2)
    }
    return n
}

function print_hit(rule, before, after) {
    before = substr(before, length(before) > 25 ? length(before) - 24 : 1)
    after = substr(after, 1, 60)
    gsub(/\001 ?/, "", before)
    gsub(/\001 ?/, "", after)
    printf "%s:%d: %s: ...%s%s... -> %s\n", FILENAME, line, rule, before, after, advice[rule]
}

# A whole text that begins on `line`.
function take(text, class,    words, parts, i) {
    text = trim(text)
    words = split(text, parts, /[ \t]+/)
    if (words <= 3 || text ~ /SPDX|shellcheck/) {
        return
    }
    total[class] += words
    for (i = 1; i <= rules; i++) {
        hits[class] += hits_of(name[i], text, class)
    }
}

function flush(    text) {
    text = pending
    pending = ""
    if (text != "") {
        take(text, pending_class)
    }
}

function collect(text, class) {
    if (pending == "") {
        line = FNR
        pending_class = class
    }
    pending = pending " " text
}

# ---- C ----

# The rest of a line, outside a comment. Adjacent strings are one text.
function scan_code(rest,    at, string) {
    while (match(rest, /\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
        at = substr(rest, RSTART, 2)
        if (trim(substr(rest, 1, RSTART - 1)) != "" || at == "/*") {
            flush()
        }
        if (at == "/*") {
            in_comment = 1
            scan_comment(substr(rest, RSTART + 2))
            return
        }
        string = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (substr(at, 1, 1) == "\"") {
            glue_string(string)
        }
    }
    if (trim(rest) != "") {
        flush()
    }
}

function glue_string(string) {
    gsub(/\\[nt]/, " ", string)
    if (pending == "") {
        line = FNR
        pending_class = FILENAME ~ /^tools\/cmd\/|\.def$/ ? "help" : "messages"
    }
    pending = pending string
}

function scan_comment(rest,    end) {
    end = index(rest, "*/")
    if (end == 0) {
        sub(/^[ \t]*\*?[ \t]*/, "", rest)
        collect(trim(rest), "comments")
        return
    }
    sub(/^[ \t]*\*[ \t]+/, "", rest)
    end = index(rest, "*/")
    collect(trim(substr(rest, 1, end - 1)), "comments")
    flush()
    in_comment = 0
    scan_code(substr(rest, end + 2))
}

# ---- Markdown ----

function scan_markdown(text,    cells, n, i) {
    if (text ~ /^```/) {
        in_block = !in_block
    }
    if (in_block || text ~ /^(    |```|<!--|#)/ || text !~ /[^ \t]/) {
        flush()
        return
    }
    gsub(/`[^`]*`/, "X", text)
    if (text ~ /^\|/) {
        flush()
        n = split(text, cells, /\|/)
        for (i = 1; i <= n; i++) {
            line = FNR
            take(cells[i], "readmes")
        }
        return
    }
    if (text ~ /^[ \t]*([-*]|[0-9]+\.) /) {
        flush()
        sub(/^[ \t]*([-*]|[0-9]+\.) /, "", text)
    }
    gsub(/\*\*/, "", text)
    gsub(/\]\([^)]*\)/, "]", text)
    collect(trim(text), "readmes")
}

FNR == 1 {
    flush()
    in_comment = in_block = 0
    files++
}
files == 1 {
    if ($0 !~ /^#/ && split($0, field, / \| /) == 5) {
        rule = trim(field[1])
        starred = sub(/\*$/, "", rule)
        name[++rules] = rule
        only_comments[rule] = starred
        pattern[rule] = expression(trim(field[2]))
        except[rule] = field[3] == "-" ? "" : expression(trim(field[3]))
        advice[rule] = trim(field[5])
        if (examples) {
            print rule, hits_of(rule, trim(field[4]), "comments")
        }
    }
    next
}
FILENAME ~ /\.md$/ { scan_markdown($0); next }
FILENAME ~ /\.(c|h|S|def)$/ {
    if (in_comment) {
        scan_comment($0)
    } else {
        scan_code($0)
    }
    next
}
/^[ \t]*#/ && !/^#!/ {
    sub(/^[ \t]*#+ ?/, "")
    if ($0 ~ /^(    |$)/) {
        flush()
    } else {
        collect(trim($0), "comments")
    }
    next
}
{ flush() }
END {
    flush()
    if (count) {
        n = split("readmes help messages comments", class, " ")
        for (i = 1; i <= n; i++) {
            print class[i], hits[class[i]] + 0, total[class[i]] + 0
        }
    }
}
