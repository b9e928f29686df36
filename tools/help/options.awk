# SPDX-License-Identifier: BSD-2-Clause
#
# What can be completed behind a command: of the pieces of its help (blocks.awk) a table, fields
# between tabs, "-" where a field is empty:
#
#     COMMAND --LONG -SHORT KIND VALUES DESCRIPTION     an option; KIND is that of its value
#     COMMAND - - KIND - -                              what stands behind the options
#     COMMAND - - words VALUES -                        what stands behind the command
#
# KIND: none (it takes no value), words (of VALUES), benches (a list of them), bench (one), run, log,
# image, device, file, directory, program, or value (no telling).
#
# Set: command.

# "ctf|text|csv", or what a description begins with, "ctf, text or csv", as words; else nothing.
function words_of(text)
{
    if (text !~ /^[a-z0-9.-]+((\||, | or )[a-z0-9.-]+)+$/) {
        return ""
    }
    gsub(/\||, | or /, " ", text)
    return text
}

function kind_of(option, value)
{
    if (value == "") {
        return "none"
    }
    if (option == "--bench") {
        return value == "LIST" ? "benches" : "bench"
    }
    if (value ~ /\.db/) {
        return "run"
    }
    if (value == "LOG" || option == "--log") {
        return "log"
    }
    if (value ~ /^(IMAGE|DEVICE|FILE|DIR|PROGRAM)/) {
        value = tolower(value)
        sub(/[^a-z].*/, "", value)
        return value == "dir" ? "directory" : value
    }
    return value ~ /\.[a-z]+$/ ? "file" : "value"
}

function put(long, short, kind, values, description)
{
    printf "%s\t%s\t%s\t%s\t%s\t%s\n", command, long, short == "" ? "-" : short, kind,
        values == "" ? "-" : values, description == "" ? "-" : description
}

# One short line without what is special to a shell.
function brief(text)
{
    sub(/[;.(].*/, "", text)
    if (text ~ /^[^:]* [^:]*:/) {
        sub(/:.*/, "", text)
    }
    gsub(/[][`"\\$]/, "", text)
    if (length(text) > 60) {
        text = substr(text, 1, 60)
        sub(/ [^ ]*$/, "", text)
    }
    sub(/[ ,]+$/, "", text)
    return text
}

# What a form of the command has behind "--opt": words in small letters.
function values_in_usage(option,    i, k, count, found, values)
{
    values = ""
    for (i = 1; i <= usage_count; i++) {
        count = split(usages[i], found, /[][ ]+/)
        for (k = 1; k < count; k++) {
            if (found[k] == option && found[k + 1] ~ /^[a-z0-9]+(\|[a-z0-9]+)*$/) {
                gsub(/\|/, " ", found[k + 1])
                values = values " " found[k + 1]
            }
        }
    }
    return substr(values, 2)
}

# The words of the forms that are no option and no option's value.
function put_arguments(    i, k, count, found, seen, kind)
{
    for (i = 1; i <= usage_count; i++) {
        count = split(usages[i], found, /[][() |]+/)
        if (found[3] ~ /^[a-z]+$/) {
            actions = actions " " found[3]
        }
        for (k = 3; k <= count; k++) {
            if (found[k] ~ /^-./) {
                k += found[k] in takes_value
                continue
            }
            kind = kind_of("", found[k])
            if (kind != "value" && kind != "none" && !(kind in seen)) {
                seen[kind] = 1
                put("-", "-", kind, "", "")
            }
        }
    }
    if (actions != "") {
        put("-", "-", "words", substr(actions, 2), "")
    }
}

BEGIN {
    FS = "\t"
}
$1 == "usage" {
    usages[++usage_count] = $2
}
# Forms are told of in front of the option that takes one.
$1 == "item" && $2 ~ /^[a-z][a-z-]*$/ {
    forms = forms " " $2
}
$1 == "item" && $2 ~ /^-/ {
    count = split($2, parts, " ")
    short = ""
    at = 1
    if (parts[1] ~ /,$/) {
        short = substr(parts[1], 1, length(parts[1]) - 1)
        at = 2
    }
    value = at < count ? parts[at + 1] : ""
    if (value != "") {
        takes_value[parts[at]] = 1
        takes_value[short] = 1
    }
    values = words_of(value)
    if (parts[at] == "--format") {
        values = substr(forms, 2)
    }
    if (values == "" && value != "") {
        values = values_in_usage(parts[at])
    }
    if (values == "" && value != "" && match($3, /^[a-z0-9-]+(, [a-z0-9-]+)* or [a-z0-9-]+/)) {
        values = words_of(substr($3, 1, RLENGTH))
    }
    put(parts[at], short, values != "" ? "words" : kind_of(parts[at], value), values, brief($3))
}
END {
    put_arguments()
}
