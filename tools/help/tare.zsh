#compdef tare
# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of tare's command line by zsh.

local -a _tare_bench_names _tare_commands _tare_common
local context state state_descr line
typeset -A opt_args

_tare_common=(
    '*--color[colours]:when:(auto always never)'
    '*--no-pager[print at once]'
    '*--help[print the help of the command]'
)

@GENERATED@

_tare_bench() { compadd "$@" -a _tare_bench_names }
_tare_benches() { _values -s , bench all none $_tare_bench_names }
_tare_run() { _files -g '*.db' }
_tare_log() { _files -g '*.log' }
_tare_image() { _files -g '*.(efi|img)' }
_tare_device() { _files }
_tare_file() { _files }
_tare_directory() { _files -/ }
_tare_program() { _command_names -e }

_arguments -C $_tare_common '--version[versions of tare and its files]' \
    '1:command:->command' '*::argument:->argument'
case $state in
command)
    _tare_commands+=('help:tell more of a command')
    _describe command _tare_commands
    ;;
argument)
    if [[ $words[1] == help ]]; then
        _describe command _tare_commands
    else
        _tare_arguments $words[1]
    fi
    ;;
esac
