"""Medians and intervals."""
import math
import statistics

median = statistics.median


def interval(ratios):
    """The 95 % confidence interval of the geometric mean of ratios."""
    logs = [math.log(ratio) for ratio in ratios]
    if len(logs) < 2:
        return ratios[0], ratios[0]
    middle, deviation = statistics.mean(logs), statistics.stdev(logs)
    half = quantile(len(logs) - 1) * deviation / math.sqrt(len(logs))
    return math.exp(middle - half), math.exp(middle + half)


def quantile(freedom):
    """The 97.5 % quantile of Student's t distribution, to two digits."""
    table = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 7: 2.36, 9: 2.26, 14: 2.14, 19: 2.09, 29: 2.05, 59: 2.00}
    known = max(n for n in table if n <= max(freedom, 1))
    return table[known]


def number(value):
    """A number with three digits."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
