#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs a build and replaces its lines "  CC      FILE" by a count: on a terminal one line that is
# rewritten, otherwise one line at the end. All other lines, and errors, are printed as they arrive.
#
#     quietly.sh COMMAND...
#
# Its exit status is that of the command.
set -u

started=$(date +%s)
live=0
[ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && live=1
# Descriptor 9 carries the status, 8 the output: make passes low numbers to the makes that it starts.
exec 8>&1
status=$({
    {
        "$@" 8>&- 9>&-
        echo $? >&9
    } | awk -v live=$live -v started="$started" '
        /^  [A-Z]+ +[^ ]/ {
            steps++
            if (live) {
                printf "\r\033[Kbuild: %d steps, %s", steps, substr($2, 1, 50)
                fflush()
            }
            next
        }
        {
            if (live && steps)
                printf "\r\033[K"
            print
            fflush()
        }
        END {
            if (live && steps)
                printf "\r\033[K"
            "date +%s" | getline now
            if (steps)
                printf "build: %d steps in %d s\n", steps, now - started
        }' >&8
} 9>&1)
exit "$status"
