# SPDX-License-Identifier: BSD-2-Clause
#
# zsh -f complete.zsh FOLDER LINE: what zsh, with the completion in FOLDER, makes of LINE when Tab is
# pressed behind it, one word a line. A zsh of its own, on a pseudo-terminal, does it.

zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell "PS1= RPROMPT= PROMPT_EOL_MARK=; fpath=($1 \$fpath)"
zpty -w shell 'autoload -Uz compinit && compinit -u -D && unsetopt list_beep auto_menu auto_list'
# Each match is printed between marks, and nothing is inserted.
zpty -w shell 'compadd() {
    local -a found
    local -i at=${@[(I)-O]}
    [[ ${@[1,(i)(-|--)]} == *-[ADO]* ]] && { builtin compadd "$@"; return }
    builtin compadd -O found "$@"
    builtin compadd "$@"
    (( $#found )) && print -rl -- "<match>"$^found"</match>"
}'
zpty -w shell 'print "<ready>"'
zpty -r shell text '*<ready>*<ready>*'
zpty -n -w shell "$2"$'\t'
sleep 0.3
zpty -n -w shell $'\C-u print "<do""ne>"\n'
zpty -r shell text '*<done>*'
zpty -d shell
print -r -- "$text" | tr "\r" "\n" | sed -n 's/.*<match>\(.*\)<\/match>.*/\1/p'
