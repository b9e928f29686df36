# SPDX-License-Identifier: BSD-2-Clause
#
# A manual page (mdoc) of a template: its lines as they are, but for
#
#     @NAME@         the head, and the section NAME
#     @SYNOPSIS@     the forms of the command
#     @DESCRIPTION@  its help
#     @EXIT STATUS@  what the help says of it
#     @COMMANDS@     a list of all commands
#     @PAGES@        references to the pages of all other commands
#
# Set: page (tare-boot), date, commands (a file: name, tab, summary), blocks (a file that blocks.awk
# wrote). Lines break behind sentences, and before column 80, as mdoc wants them.

function escape(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# A word that begins a line of roff must not look like a request.
function safe(word)
{
    return word ~ /^[.']/ ? "\\&" word : word
}

function print_text(text,    words, count, line, i)
{
    count = split(text, words, " ")
    line = ""
    for (i = 1; i <= count; i++) {
        if (line != "" && length(line) + length(words[i]) > 70) {
            print line
            line = ""
        }
        line = line == "" ? safe(escape(words[i])) : line " " escape(words[i])
        if (words[i] ~ /[.?!]["')]*$/) {
            print line
            line = ""
        }
    }
    if (line != "") {
        print line
    }
}

# "-o, --output RUN.db" as macros.
function term_of(term,    words, count, out, i)
{
    count = split(term, words, " ")
    out = ""
    for (i = 1; i <= count; i++) {
        sub(/,$/, " ,", words[i])
        if (words[i] ~ /^-/) {
            sub(/^-/, "", words[i])
            out = out " Fl " escape(words[i])
        } else if (i == 1 && words[i] ~ /^[a-z]/) {
            out = out " Cm " escape(words[i])
        } else {
            out = out " Ar " escape(words[i])
        }
    }
    return substr(out, 2)
}

function end_list()
{
    if (in_list) {
        print ".El"
    }
    in_list = 0
}

function print_lines(kind, at)
{
    print ".Bd -literal -offset indent"
    while (kinds[at] == kind) {
        print safe(escape(pieces[at++]))
    }
    print ".Ed"
    return at - 1
}

function print_description(    i, fields, apart)
{
    print ".Sh DESCRIPTION"
    spaced = 1 # an empty line is there, or not wanted
    for (i = 1; i <= piece_count; i++) {
        if (kinds[i] == "item") {
            split(pieces[i], fields, "\t")
            if (!in_list) {
                print ".Bl -tag -width Ds"
                in_list = 1
            }
            print ".It " term_of(fields[1])
            print_text(fields[2])
        } else if (kinds[i] == "more") {
            i = print_lines("more", i)
        } else if (kinds[i] == "then") {
            print_text(pieces[i])
        } else if (kinds[i] == "text" || kinds[i] == "line") {
            apart = in_list || !spaced
            end_list()
            if (kinds[i] == "line") {
                i = print_lines("line", i)
            } else {
                if (apart) {
                    print ".Pp"
                }
                print_text(pieces[i])
            }
            spaced = 0
        }
    }
    end_list()
}

function print_exit_status(    i, text)
{
    print ".Sh EXIT STATUS"
    print ".Bl -tag -width Ds"
    for (i = 1; i <= piece_count; i++) {
        if (kinds[i] != "exit") {
            continue
        }
        text = pieces[i]
        sub(/^Exit status: /, "", text)
        while (match(text, /[,;] [0-9] /)) {
            print ".It " substr(text, 1, 1)
            print_text(substr(text, 3, RSTART - 3))
            text = substr(text, RSTART + 2)
        }
        print ".It " substr(text, 1, 1)
        print_text(substr(text, 3))
    }
    print ".El"
}

function print_name()
{
    print ".Dd " date
    print ".Dt " toupper(page) " 1"
    print ".Os tare"
    print ".Sh NAME"
    print ".Nm " page
    print ".Nd " escape(summary)
}

function print_synopsis(    i, words)
{
    print ".Sh SYNOPSIS"
    for (i = 1; i <= piece_count; i++) {
        if (kinds[i] == "usage") {
            split(pieces[i], words, " ")
            print ".Nm " words[1] " " words[2]
            print_text(substr(pieces[i], length(words[1] words[2]) + 3))
        }
    }
}

function print_commands(    i, name)
{
    print ".Bl -tag -width Ds"
    for (i = 1; i <= command_count; i++) {
        print ".It Xr tare-" names[i] " 1"
        print_text(summaries[i])
    }
    print ".El"
}

# Sorted, as a reader looks for them; the commands file is.
function print_pages(    i, last)
{
    if (page != "tare") {
        print ".Xr tare 1" (command_count > 1 ? " ," : "")
    }
    for (i = command_count; i > 0 && page == "tare-" names[i]; i--) {
    }
    last = i
    for (i = 1; i <= last; i++) {
        if (page != "tare-" names[i]) {
            print ".Xr tare-" names[i] " 1" (i < last ? " ," : "")
        }
    }
}

FILENAME == commands {
    split($0, fields, "\t")
    names[++command_count] = fields[1]
    summaries[command_count] = fields[2]
    if (page == "tare-" fields[1]) {
        summary = fields[2]
    }
    next
}
FILENAME == blocks {
    kinds[++piece_count] = substr($0, 1, index($0, "\t") - 1)
    pieces[piece_count] = substr($0, index($0, "\t") + 1)
    next
}
/^@NAME@$/ { print_name(); next }
/^@SYNOPSIS@$/ { print_synopsis(); next }
/^@DESCRIPTION@$/ { print_description(); next }
/^@EXIT STATUS@$/ { print_exit_status(); next }
/^@COMMANDS@$/ { print_commands(); next }
/^@PAGES@$/ { print_pages(); next }
{ print }
