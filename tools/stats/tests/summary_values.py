# SPDX-License-Identifier: BSD-2-Clause
"""Makes tools/stats/tests/summary_values.h: results of SciPy and numpy for data sets of unit_summary.c and
unit_compare.c. No test runs this; run it to make the values again:

    apt-get install python3-scipy
    /usr/bin/python3 tools/stats/tests/summary_values.py > tools/stats/tests/summary_values.h
"""

import itertools
import math

import numpy
import scipy
from scipy import special, stats

random = numpy.random.default_rng(20240101)


def array(name, values, kind="double"):
    text = ", ".join(repr(v) for v in values)
    print(f"static const {kind} {name}[] = {{{text}}};")


def quantile(values, q):
    return float(numpy.quantile(values, q, method="inverted_cdf"))


def ranks_of(n, q):
    low = int(stats.binom.ppf(0.025, n, q))
    high = int(stats.binom.ppf(0.975, n, q)) + 1
    return low, high


def one(name, values):
    """A data set and its summary."""
    n = len(values)
    array("set_" + name, values)
    mean = math.fsum(values) / n
    median = quantile(values, 0.5)
    d = numpy.array(values) - mean
    lags = [float(numpy.dot(d[:-k], d[k:]) / numpy.dot(d, d)) for k in range(1, 11)]
    reported = [q for q in (0.9, 0.99, 0.999, 0.9999) if round(n * (1 - q), 6) >= 10]
    quantiles = [quantile(values, q) for q in [0.5] + reported]
    low, high = ranks_of(n, 0.5)
    ordered = sorted(values)
    mad = quantile([abs(v - median) for v in values], 0.5)
    deviation = float(numpy.std(values, ddof=1))
    print(f"static const struct known_summary known_{name} = {{{n}, {mean!r}, {deviation!r}, {mad!r},")
    print(f"    {len(quantiles)}, {{{', '.join(map(repr, quantiles))}}},")
    print(f"    {ordered[low - 1]!r}, {ordered[high - 1]!r}, {{{', '.join(map(repr, lags))}}}}};")


def exact_p(a, b):
    """Of the rank sum, over all ways to share out the values: two-sided, twice the smaller tail."""
    ranks = [int(2 * r) for r in stats.rankdata(list(a) + list(b))]
    ways = {(0, 0): 1}
    for r in ranks:
        for (k, s), w in list(ways.items()):
            ways[(k + 1, s + r)] = ways.get((k + 1, s + r), 0) + w
    mine = sum(ranks[: len(a)])
    mass = {s: w for (k, s), w in ways.items() if k == len(a)}
    total = sum(mass.values())
    below = sum(w for s, w in mass.items() if s <= mine)
    above = sum(w for s, w in mass.items() if s >= mine)
    return min(1.0, 2 * min(below, above) / total)


def shift_rank(n, m):
    """The greatest k with P(U < k) <= 0.025."""
    ways = numpy.zeros((n + 1, n * m + 1))
    ways[0, 0] = 1
    for i in range(1, n + m + 1):
        for k in range(min(i, n), 0, -1):
            step = i - k
            ways[k, step:] += ways[k - 1, : n * m + 1 - step]
    cdf = numpy.cumsum(ways[n]) / math.comb(n + m, n)
    return int(numpy.searchsorted(cdf, 0.025, side="right"))


def two(name, left, right, a, b):
    """The comparison of b with a."""
    n, m = len(a), len(b)
    small = n + m <= 30
    u = float(stats.mannwhitneyu(b, a, method="asymptotic").statistic)
    p = float(stats.mannwhitneyu(b, a, method="asymptotic").pvalue)
    if small:
        p = exact_p(a, b)
        if len(set(a) | set(b)) == n + m:
            assert abs(p - stats.mannwhitneyu(b, a, method="exact").pvalue) < 1e-12
    d = sorted(y - x for x, y in itertools.product(a, b))
    if small:
        k = shift_rank(n, m)
    else:
        z = stats.norm.ppf(0.975)
        k = int(math.floor(n * m / 2 - z * math.sqrt(n * m * (n + m + 1) / 12)))
    total = n * m
    shift = (d[(total - 1) // 2] + d[total // 2]) / 2
    ks = stats.ks_2samp(a, b, method="asymp").statistic
    ks_p = float(special.kolmogorov(math.sqrt(n * m / (n + m)) * ks))
    cliff = (sum(v > 0 for v in d) - sum(v < 0 for v in d)) / total
    low, high = (d[k - 1], d[total - k]) if k >= 1 else (math.nan, math.nan)
    text = lambda v: "NAN" if math.isnan(v) else repr(float(v))
    print(f"    {{\"{name}\", set_{left}, {n}, set_{right}, {m}, {u!r}, {p!r}, {cliff!r},")
    print(f"     {shift!r}, {text(low)}, {text(high)}, {float(ks)!r}, {ks_p!r}}},")


def main():
    print("/* SPDX-License-Identifier: BSD-2-Clause */")
    print("/*")
    print(f" * Made by tools/stats/tests/summary_values.py with SciPy {scipy.__version__}, numpy "
          f"{numpy.__version__}.")
    print(" */")
    print("#pragma once\n\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n")
    print("/* clang-format off */")
    print("struct known_summary { size_t n; double mean, deviation, mad; size_t quantile_count;")
    print("    double quantiles[5]; double median_low, median_high; double autocorrelation[10]; };")
    print("struct known_ranks { size_t n; double q; size_t low, high; }; /* low 0: none */")
    print("struct known_rate { uint64_t events; double low, high; };")
    print("struct known_point { double x, y; };")
    print("struct known_pair { const char *name; const double *a; size_t a_count; const double *b;")
    print("    size_t b_count; double u, p, delta, shift, low, high, ks, ks_p; };\n")

    sets = {
        "skewed": [round(float(v), 3) for v in random.lognormal(5, 0.4, 200)],
        "skewed_more": [round(float(v), 3) for v in random.lognormal(5.1, 0.4, 150)],
        "ties": [float(v) for v in 100 + random.poisson(3, 150)],
        "ties_more": [float(v) for v in 101 + random.poisson(3, 90)],
        "small": [round(float(v), 4) for v in random.normal(10, 1, 7)],
        "small_more": [round(float(v), 4) for v in random.normal(11.5, 1, 9)],
        "small_ties": [3.0, 5.0, 5.0, 7.0, 8.0, 8.0, 9.0, 5.0],
        "small_ties_more": [5.0, 8.0, 9.0, 9.0, 12.0, 8.0, 7.0, 11.0, 9.0, 13.0],
        "tiny": [1.5, 2.25, 3.0],
        "negative": [round(float(v), 3) for v in random.normal(-50, 20, 64)],
    }
    walk = [0.0]
    for v in random.normal(0, 1, 299):
        walk.append(0.6 * walk[-1] + float(v))
    sets["correlated"] = [round(100 + v, 4) for v in walk]
    sets["thousand"] = [float(v) for v in 800 + 8 * random.geometric(0.2, 1200)]
    for name, values in sets.items():
        one(name, values) if name not in ("tiny", "small", "small_more") and len(
            values) > 11 else array("set_" + name, values)

    print("\nstatic const struct known_ranks known_ranks[] = {")
    for q in (0.5, 0.9, 0.99, 0.999, 0.9999):
        for n in (1, 5, 6, 7, 10, 20, 37, 100, 299, 1000, 4096, 30000, 100000, 1000000, 10000000):
            low, high = ranks_of(n, q)
            good = low >= 1 and high <= n
            print(f"    {{{n}, {q}, {low if good else 0}, {high if good else 0}}},")
    print("};")
    print("\nstatic const struct known_rate known_rates[] = { /* in a time of 1 */")
    for k in (1, 2, 3, 5, 10, 17, 30, 100, 1000, 12345, 1000000):
        print(f"    {{{k}, {float(stats.chi2.ppf(0.025, 2 * k) / 2)!r}, "
              f"{float(stats.chi2.ppf(0.975, 2 * k + 2) / 2)!r}}},")
    print("};")
    print("\nstatic const struct known_point known_normal[] = {")
    for p in (1e-300, 1e-12, 1e-4, 0.005, 0.025, 0.2, 0.5, 0.7, 0.975, 0.9999):
        print(f"    {{{p!r}, {float(stats.norm.ppf(p))!r}}},")
    print("};")
    print("\nstatic const struct known_point known_kolmogorov[] = {")
    for x in (0.0, 0.1, 0.3, 0.5, 0.8, 0.99, 1.0, 1.2, 1.358, 2.0, 3.5):
        print(f"    {{{x!r}, {float(special.kolmogorov(x))!r}}},")
    print("};")
    print("\n/* P(B <= x) of 30 trials with chance 0.3; and of 1000000 with 0.25, x + 249000 */")
    print("static const struct known_point known_binomial[] = {")
    for k in (0, 1, 5, 9, 10, 20, 29, 30):
        print(f"    {{{k}, {float(stats.binom.cdf(k, 30, 0.3))!r}}},")
    print("};")
    print("static const struct known_point known_binomial_large[] = {")
    for k in (0, 500, 1000, 1001, 1500, 2000):
        print(f"    {{{k}, {float(stats.binom.cdf(249000 + k, 1000000, 0.25))!r}}},")
    print("};")
    print("\nstatic const struct known_pair known_pairs[] = {")
    for left, right in (("skewed", "skewed_more"), ("skewed_more", "skewed"),
                        ("ties", "ties_more"), ("small", "small_more"),
                        ("small_ties", "small_ties_more"), ("tiny", "small"),
                        ("tiny", "tiny"), ("negative", "small"), ("ties", "skewed"),
                        ("thousand", "ties"), ("skewed", "skewed"), ("ties", "small_ties")):
        two(f"{left}, {right}", left, right, sets[left], sets[right])
    print("};")
    print("\n/* Two counts in times of a, b: chance of such under equal rates; ratio's interval. */")
    print("struct known_counts { uint64_t a; double a_time; uint64_t b; double b_time; double p, low, "
          "high; };")
    print("static const struct known_counts known_counts[] = {")
    for a, s, b, t in ((10, 1.0, 20, 1.0), (0, 2.0, 9, 2.0), (7, 1.0, 0, 3.0), (5, 1.0, 6, 1.0),
                       (100, 10.0, 260, 20.0), (2399, 5.0, 2300, 5.0), (0, 1.0, 1, 1.0)):
        share = t / (s + t)
        p = min(1.0, 2 * min(stats.binom.cdf(b, a + b, share), stats.binom.sf(b - 1, a + b, share)))
        low = stats.beta.ppf(0.025, b, a + 1) if b > 0 else 0.0
        high = stats.beta.ppf(0.975, b + 1, a) if a > 0 else 1.0
        ratio = lambda v: math.inf if v >= 1 else v / (1 - v) * s / t
        text = lambda v: "INFINITY" if math.isinf(v) else repr(float(v))
        print(f"    {{{a}, {s}, {b}, {t}, {float(p)!r}, {text(ratio(low))}, {text(ratio(high))}}},")
    print("};")
    print("/* clang-format on */")


main()
