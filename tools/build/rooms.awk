# SPDX-License-Identifier: BSD-2-Clause
#
# The table of rooms as variables of make: uses.ROOM as the table has it, reach.ROOM with all that
# these use in turn.

/^[a-z]/ {
    room = $1
    sub(/:$/, "", room)
    order[++rooms] = room
    for (i = 2; i <= NF; i++) {
        uses[room] = uses[room] " " $i
    }
}

function reach(room, seen, part, n, i) {
    n = split(uses[room], part, " ")
    for (i = 1; i <= n; i++) {
        if (!(part[i] in seen)) {
            seen[part[i]] = 1
            reach(part[i], seen)
        }
    }
}

END {
    for (k = 1; k <= rooms; k++) {
        split("", seen)
        reach(order[k], seen)
        list = ""
        for (j = 1; j <= rooms; j++) {
            if (order[j] in seen) {
                list = order[j] " " list
            }
        }
        print "uses." order[k] " :=" uses[order[k]]
        print "reach." order[k] " := " list
    }
}
