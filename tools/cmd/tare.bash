# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of tare's command line in bash: `tare complete` offers commands, options and their
# values. If it offers nothing, bash completes file names.
_tare()
{
    mapfile -t COMPREPLY < <(tare complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2>/dev/null
}

complete -F _tare tare
