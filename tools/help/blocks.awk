# SPDX-License-Identifier: BSD-2-Clause
#
# The help of a command (`tare help COMMAND`) in pieces, one a line, fields between tabs. What
# manual pages and completions are made of:
#
#     usage  TEXT        a form of the command
#     text   TEXT        a paragraph
#     item   TERM TEXT   an option or a word, and what it means
#     more   TEXT        a line of the item before that stands as it is
#     then   TEXT        text of the item that follows such lines
#     line   TEXT        a line that stands as it is
#     exit   TEXT        what the exit status means
#     gap                between two paragraphs or lists

# An option at the begin of the text, with its value: "-o, --output RUN.db".
function option_length(text,    length_of_option, value)
{
    if (!match(text, /^(-[A-Za-z0-9], )?--?[a-z0-9-]+/)) {
        return 0
    }
    length_of_option = RLENGTH
    value = substr(text, length_of_option + 1)
    if (match(value, /^ [A-Z][^ ]*/) || match(value, /^ [^ ]+\|[^ ]+/)) {
        return length_of_option + RLENGTH
    }
    return length_of_option
}

function put(kind, text)
{
    printf "%s\t%s\n", kind, text
    open = 1
}

function flush_piece()
{
    if (paragraph != "") {
        put(paragraph ~ /^Exit status: / ? "exit" : "text", paragraph)
    }
    if (term != "") {
        printf "item\t%s\t%s\n", term, meaning
        open = 1
        term = ""
    }
    for (k = 1; k <= more_count; k++) {
        put(more_kind[k], more[k])
    }
    paragraph = ""
    more_count = 0
}

# Begins an item whose text starts in the column `at` of the line.
function begin_item(line, words, at)
{
    flush_piece()
    term = words
    column = at
    meaning = substr(line, at)
}

/^usage: / {
    in_usage = 1
}
in_usage && NF > 0 {
    sub(/^usage: /, "       ")
    if ($1 != "tare") {
        usage = usage " " substr($0, match($0, /[^ ]/))
        next
    }
    if (usage != "") {
        put("usage", usage)
    }
    usage = substr($0, 8)
    next
}
in_usage {
    put("usage", usage)
    in_usage = 0
}
NF == 0 {
    flush_piece()
    column = 0
    if (open) {
        print "gap\t"
        open = 0
    }
    next
}
{
    indent = match($0, /[^ ]/) - 1
    rest = substr($0, indent + 1)
    words = indent > 0 && indent < 4 ? option_length(rest) : 0
    if (words > 0) {
        after = match(substr(rest, words + 1), /[^ ]/)
        begin_item($0, substr(rest, 1, words), after > 0 ? indent + words + after : 1000)
    } else if (term != "" && column == 1000) {
        column = indent + 1
        meaning = rest
    } else if (term != "" && indent + 1 == column && more_count == 0) {
        meaning = meaning " " rest
    } else if (term != "" && indent + 1 == column && more_kind[more_count] == "then") {
        more[more_count] = more[more_count] " " rest
    } else if (term != "" && indent + 1 >= column) {
        more[++more_count] = rest
        more_kind[more_count] = indent + 1 > column ? "more" : "then"
    } else if (indent < 4 && match(rest, /   */)) {
        begin_item($0, substr(rest, 1, RSTART - 1), indent + RSTART + RLENGTH)
    } else if (indent > 0) {
        flush_piece()
        put("line", rest)
    } else {
        if (term != "" || more_count > 0) {
            flush_piece()
        }
        paragraph = paragraph (paragraph == "" ? "" : " ") rest
    }
}
END {
    flush_piece()
}
