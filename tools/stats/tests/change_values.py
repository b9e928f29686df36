# SPDX-License-Identifier: BSD-2-Clause
"""Makes tools/stats/tests/change_values.h: change points that Apache Otava finds in series of unit_change_points.c.
No test runs this; run it to make the values again, with Otava's sources (github.com/apache/otava) on PYTHONPATH:

    apt-get install python3-scipy
    /usr/bin/python3 tools/stats/tests/change_values.py > tools/stats/tests/change_values.h
"""

import itertools

import numpy
from otava.analysis import compute_change_points

random = numpy.random.default_rng(20261126)


def series(*levels):
    """Normal values of deviation 1: (level, count) one behind the other; and where the level changes."""
    values = [round(float(level + v), 3) for level, count in levels for v in random.standard_normal(count)]
    places = list(itertools.accumulate(count for _, count in levels))[:-1]
    return values, places


SETS = {
    "calm": series((100, 60)),
    "step": series((100, 30), (105, 30)),
    "down": series((100, 45), (95, 15)),
    "late": series((100, 50), (106, 8)),
    "early": series((100, 8), (106, 50)),
    "plateau": series((100, 25), (106, 15), (100, 25)),
    "stairs": series((100, 25), (105, 25), (111, 25)),
    "long": series((100, 80), (105, 40), (99, 60)),
    "small": series((100, 40), (102, 40)),
}

print("/* SPDX-License-Identifier: BSD-2-Clause */")
print("/* Made by tools/stats/tests/change_values.py. */")
for name, (values, _) in SETS.items():
    print(f"static const double set_{name}[] = {{{', '.join(repr(v) for v in values)}}};")
print("static const struct {\n    const char *name;\n    const double *values;\n    size_t n;")
print("    size_t true_count; /* of changes that there are */\n    size_t true_at[2];")
print("    size_t count; /* of those that Otava finds */\n    size_t at[4];\n} sets[] = {")
for name, (values, places) in SETS.items():
    points = [c.index for c in compute_change_points(list(values), max_pvalue=0.001)[0]]
    true_places = ", ".join(str(p) for p in places)
    otava = ", ".join(str(p) for p in points)
    print(f'    {{"{name}", set_{name}, {len(values)}, {len(places)}, {{{true_places}}}, {len(points)}, {{{otava}}}}},')
print("};")
