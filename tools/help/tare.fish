# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of tare's command line by fish.

# Is this the command? Words behind it, such as names of benches, are none.
function __tare_command_is
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --color
                set -e words[1]
            case '-*'
            case '*'
                test $words[1] = $argv[1]
                return
        end
        set -e words[1]
    end
    return 1
end

complete -c tare -f
complete -c tare -n __fish_use_subcommand -f -a help -d 'tell more of a command'
complete -c tare -n __fish_use_subcommand -l version -d 'versions of tare and its files'
complete -c tare -l color -x -a 'auto always never' -d 'colours'
complete -c tare -l no-pager -d 'print at once'
complete -c tare -l help -d 'print the help of the command'

@GENERATED@
