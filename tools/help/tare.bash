# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of tare's command line by bash.

@GENERATED@

# _tare_files FOLDERS PATTERN: files that match, and folders to look into.
_tare_files()
{
    local file
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -d -S / -- "$1"; compgen -G "$1*" | grep -E "$2")
    compopt -o filenames -o nospace 2>/dev/null
}

# _tare_complete CURRENT KIND WORD...
_tare_complete()
{
    local current=$1 kind=$2 before=
    shift 2
    case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current") ;;
    bench) mapfile -t COMPREPLY < <(compgen -W "$_tare_benches" -- "$current") ;;
    benches)
        case $current in *,*) before=${current%,*}, ;; esac
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "all none $_tare_benches" \
            -- "${current##*,}")
        compopt -o nospace 2>/dev/null
        ;;
    run) _tare_files "$current" '\.db$' ;;
    log) _tare_files "$current" '\.log$' ;;
    image) _tare_files "$current" '\.(efi|img)$' ;;
    device | file) _tare_files "$current" . ;;
    directory) _tare_files "$current" '^$' ;;
    program) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    esac
}

_tare()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= i value
    COMPREPLY=()
    # --color=WHEN comes as three words.
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --color) [ "${COMP_WORDS[i + 1]}" = = ] && ((i++)); ((i++)) ;;
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    if [ "$previous" = --color ]; then
        _tare_complete "$current" words auto always never
        return
    fi
    if [ -z "$command" ]; then
        _tare_complete "$current" words "$_tare_commands help --color --no-pager --help --version"
        return
    fi
    if [ "$command" = help ]; then
        _tare_complete "$current" words "$_tare_commands"
        return
    fi
    value=$(_tare_value "$command:$previous")
    if [ -n "$value" ]; then
        # shellcheck disable=SC2086 # words
        _tare_complete "$current" $value
        return
    fi
    case $current in
    -*)
        _tare_complete "$current" words "$(_tare_options "$command") --color --no-pager --help"
        return
        ;;
    esac
    value=$(_tare_actions "$command")
    if [ -n "$value" ] && [ "$previous" = "$command" ]; then
        _tare_complete "$current" words "$value"
        return
    fi
    value=$(_tare_arguments "$command")
    [ -z "$value" ] || _tare_complete "$current" "${value%% *}"
}

complete -F _tare tare
