# SPDX-License-Identifier: BSD-2-Clause
#
# What of a shell's completion is made of the table of options (options.awk) and of the list of
# commands: its lines stand in place of the line @GENERATED@ of a template (tools/help/tare.SHELL).
#
# Set: shell (bash, zsh or fish), commands (a file: name, tab, summary), options (a file), benches
# (their names, between blanks).

# In single quotes, for all three shells.
function quoted(text)
{
    if (shell == "fish") {
        gsub(/'/, "\\'", text)
    } else {
        gsub(/'/, "'\\''", text)
    }
    return "'" text "'"
}

# ---- bash: functions that tell what there is; the template completes ----

function bash_cases(name, kind_wanted,    i, text, last)
{
    print name "()\n{\n    case $1 in"
    for (i = 1; i <= command_count; i++) {
        text = bash[kind_wanted, names[i]]
        if (text != "") {
            print "    " names[i] ") echo " quoted(substr(text, 2)) " ;;"
        }
    }
    print "    esac\n}\n"
}

function print_bash(    i, k, text)
{
    for (k = 1; k <= option_count; k++) {
        split(table[k], f, "\t")
        if (f[2] == "-" && f[4] == "words") {
            bash["actions", f[1]] = " " f[5]
        } else if (f[2] == "-") {
            bash["arguments", f[1]] = bash["arguments", f[1]] " " f[4]
        } else {
            bash["options", f[1]] = bash["options", f[1]] " " f[2] (f[3] == "-" ? "" : " " f[3])
        }
    }
    text = ""
    for (i = 1; i <= command_count; i++) {
        text = text " " names[i]
    }
    print "_tare_commands=" quoted(substr(text, 2)) "\n_tare_benches=" quoted(benches) "\n"
    bash_cases("_tare_options", "options")
    bash_cases("_tare_arguments", "arguments")
    bash_cases("_tare_actions", "actions")
    print "_tare_value()\n{\n    case $1 in"
    for (k = 1; k <= option_count; k++) {
        split(table[k], f, "\t")
        if (f[2] != "-" && f[4] != "none") {
            print "    " f[1] ":" f[2] (f[3] == "-" ? "" : " | " f[1] ":" f[3]) ") echo " \
                quoted(f[4] (f[5] == "-" ? "" : " " f[5])) " ;;"
        }
    }
    print "    esac\n}"
}

# ---- zsh: what _arguments takes ----

function zsh_action(kind, values)
{
    if (kind == "words") {
        return "(" values ")"
    }
    if (kind == "value") {
        return ""
    }
    return "_tare_" kind
}

function print_zsh(    i, k, spec, tail)
{
    print "_tare_bench_names=(" benches ")"
    print "_tare_commands=("
    for (i = 1; i <= command_count; i++) {
        print "    " quoted(names[i] ":" summaries[i])
    }
    print ")\n\n_tare_arguments()\n{\n    case $1 in"
    for (i = 1; i <= command_count; i++) {
        print "    " names[i] ")\n        _arguments -s $_tare_common \\"
        tail = ""
        for (k = 1; k <= option_count; k++) {
            split(table[k], f, "\t")
            if (f[1] != names[i]) {
                continue
            }
            if (f[2] == "-" && f[4] == "words") {
                tail = quoted("1:action:(" f[5] ")") " " tail
                continue
            }
            if (f[2] == "-") {
                if (tail == "") {
                    tail = quoted("*:" f[4] ":_tare_" f[4])
                }
                continue
            }
            gsub(/:/, "\\:", f[6])
            spec = "[" f[6] "]"
            if (f[4] != "none") {
                spec = spec ":" f[4] ":" zsh_action(f[4], f[5])
            }
            if (f[3] == "-") {
                print "            " quoted("*" f[2] spec) " \\"
            } else {
                print "            " quoted("*" f[2] spec) " " quoted("*" f[3] spec) " \\"
            }
        }
        print "            " (tail == "" ? "'*: :'" : tail) " ;;"
    }
    print "    esac\n}"
}

# ---- fish: a line an option ----

function fish_values(kind, values)
{
    if (kind == "none") {
        return ""
    }
    if (kind == "words") {
        return " -x -a " quoted(values)
    }
    if (kind == "bench") {
        return " -x -a " quoted(benches)
    }
    if (kind == "benches") {
        return " -x -a " quoted("(__fish_complete_list , __tare_benches)")
    }
    if (kind == "value") {
        return " -x"
    }
    if (kind == "run") {
        return " -r -k -a " quoted("(__fish_complete_suffix .db)")
    }
    if (kind == "log") {
        return " -r -k -a " quoted("(__fish_complete_suffix .log)")
    }
    if (kind == "directory") {
        return " -x -a " quoted("(__fish_complete_directories)")
    }
    if (kind == "program") {
        return " -x -a " quoted("(__fish_complete_command)")
    }
    return " -r -F"
}

function fish_arguments(kind)
{
    if (kind == "run") {
        return " -k -a " quoted("(__fish_complete_suffix .db)")
    }
    if (kind == "log") {
        return " -k -a " quoted("(__fish_complete_suffix .log)")
    }
    if (kind == "image") {
        return " -k -a " quoted("(__fish_complete_suffix .efi)")
    }
    return " -F"
}

function print_fish(    i, k, condition, line)
{
    print "function __tare_benches\n    string split ' ' " quoted(benches) "\nend\n"
    for (i = 1; i <= command_count; i++) {
        print "complete -c tare -n __fish_use_subcommand -f -a " names[i] " -d " \
            quoted(summaries[i])
        print "complete -c tare -n '__fish_seen_subcommand_from help' -f -a " names[i] " -d " \
            quoted(summaries[i])
    }
    for (k = 1; k <= option_count; k++) {
        split(table[k], f, "\t")
        condition = "complete -c tare -n '__tare_command_is " f[1] "'"
        if (f[2] == "-" && f[4] == "words") {
            print "complete -c tare -n '__tare_command_is " f[1] \
                "; and not __fish_seen_subcommand_from " f[5] "' -f -a " quoted(f[5])
            continue
        }
        if (f[2] == "-") {
            print condition fish_arguments(f[4])
            continue
        }
        line = condition " -l " substr(f[2], 3)
        if (f[3] != "-") {
            line = line " -s " substr(f[3], 2)
        }
        print line fish_values(f[4], f[5]) " -d " quoted(f[6])
    }
}

FILENAME == commands {
    split($0, f, "\t")
    names[++command_count] = f[1]
    summaries[command_count] = f[2]
    next
}
FILENAME == options {
    table[++option_count] = $0
    next
}
/^@GENERATED@$/ {
    if (shell == "bash") {
        print_bash()
    } else if (shell == "zsh") {
        print_zsh()
    } else {
        print_fish()
    }
    next
}
{ print }
