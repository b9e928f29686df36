# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of tare's command line by bash: of commands, of options and of their values, from what
# `tare help` prints; of files everywhere else.

# _tare_values COMMAND OPTION: the words that an option takes, where the help lists them.
_tare_values()
{
    tare help "$1" 2>/dev/null | sed -n "s/^ \{1,3\}\(-., \)\{0,1\}$2 \([^ ]*|[^ ]*\).*/\2/p" |
        tr '|' ' '
}

_tare()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= words= word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
        -* | auto | always | never) ;;
        *)
            command=$word
            break
            ;;
        esac
    done
    if [ "$previous" = --color ]; then
        words='auto always never'
    elif [ -z "$command" ] || [ "$command" = help ]; then
        words="help --color --no-pager --help --version
            $(tare help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"
    elif [[ $current == -* ]]; then
        words="--color --no-pager
            $(tare help "$command" 2>/dev/null | sed -n 's/^ \{1,3\}\(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p')"
    elif [[ $previous == --* ]]; then
        words=$(_tare_values "$command" "$previous")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    [ -n "$words" ] || compopt -o default 2>/dev/null
}

complete -F _tare tare
