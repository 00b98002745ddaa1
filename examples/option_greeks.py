"""The Greeks of a European call to third order, against their closed forms.

    python examples/option_greeks.py

Black and Scholes' price is differentiated by spot, volatility and time: nested tapes give each
next order, for all spots at once. The figure shows each Greek by spot for three times to expiry,
from the tapes as lines and from the closed forms as dots.
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import norm

import gradtape as tf

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--short", action="store_true", help="take 81 spots in place of 100,001")
parser.add_argument(
    "--figure",
    type=pathlib.Path,
    default=pathlib.Path("figures/option_greeks.png"),
    help="where to save the figure (default: %(default)s)",
)
options = parser.parse_args()

SPOTS = np.linspace(60.0, 140.0, 81 if options.short else 100_001)
STRIKE, RATE, VOLATILITY = 100.0, 0.03, 0.25
TIMES = {0.1: "#c8553d", 0.25: "#6a994e", 0.75: "#2a6f97"}


def cumulative(x):
    return 0.5 * tf.math.erfc(-x / np.sqrt(2.0))


def price(spot, volatility, time):
    deviation = volatility * tf.sqrt(time)
    d1 = (tf.math.log(spot / STRIKE) + RATE * time) / deviation + deviation / 2
    return spot * cumulative(d1) - STRIKE * tf.exp(-RATE * time) * cumulative(d1 - deviation)


def by_tapes(time):
    """All derivatives up to the third: one tape for each order."""
    s = tf.constant(SPOTS)
    v = tf.fill(s.shape, tf.constant(VOLATILITY, tf.float64))
    t = tf.fill(s.shape, tf.constant(time, tf.float64))
    with tf.GradientTape(persistent=True) as third:
        third.watch([s, v, t])
        with tf.GradientTape(persistent=True) as second:
            second.watch([s, v, t])
            with tf.GradientTape() as first:
                first.watch([s, v, t])
                value = price(s, v, t)
            delta, vega, decay = first.gradient(value, [s, v, t])
            theta = -decay
        gamma, vanna, charm = second.gradient(delta, [s, v, t])
        volga = second.gradient(vega, v)
    speed, zomma, color = third.gradient(gamma, [s, v, t])
    ultima = third.gradient(volga, v)
    found = {
        "delta": delta, "vega": vega, "theta": theta, "gamma": gamma, "vanna": vanna,
        "charm": -charm, "volga": volga, "speed": speed, "zomma": zomma, "color": color,
        "ultima": ultima,
    }  # fmt: skip
    return {name: greek.numpy() for name, greek in found.items()}


def by_formula(time):
    """The closed forms (Haug, The Complete Guide to Option Pricing Formulas, 2007)."""
    s, v, t, r = SPOTS, VOLATILITY, time, RATE
    root = np.sqrt(t)
    d1 = (np.log(s / STRIKE) + (r + v * v / 2) * t) / (v * root)
    d2 = d1 - v * root
    density = norm.pdf(d1)
    vega = s * density * root
    gamma = density / (s * v * root)
    drift = (2 * r * t - d2 * v * root) / (2 * t * v * root)
    volga = vega * d1 * d2 / v
    color = 1 + d1 * (2 * r * t - d2 * v * root) / (v * root)
    return {
        "delta": norm.cdf(d1),
        "vega": vega,
        "theta": -s * density * v / (2 * root) - r * STRIKE * np.exp(-r * t) * norm.cdf(d2),
        "gamma": gamma,
        "vanna": -density * d2 / v,
        "charm": -density * drift,
        "volga": volga,
        "speed": -gamma / s * (d1 / (v * root) + 1),
        "zomma": gamma * (d1 * d2 - 1) / v,
        "color": -density / (2 * s * t * v * root) * color,
        "ultima": -vega / v**2 * (d1 * d2 * (1 - d1 * d2) + d1**2 + d2**2),
    }


def largest_difference(found, known):
    """The largest difference over all spots, as a part of the Greek's largest value."""
    return np.abs(found - known).max() / np.abs(known).max()


def draw(found, known):
    figure, axes = plt.subplots(3, 4, figsize=(13, 7.5), layout="constrained", sharex=True)
    lines, dots = slice(None, None, len(SPOTS) // 80), slice(None, None, len(SPOTS) // 16)
    for axis, name in zip(axes.flat, found[max(TIMES)], strict=False):
        for time, color in TIMES.items():
            axis.plot(SPOTS[lines], found[time][name][lines], color=color, label=f"{time} years")
            axis.plot(SPOTS[dots], known[time][name][dots], ".", color=color, markersize=4)
        axis.axvline(STRIKE, color="#b0b0b0", linestyle=":", zorder=0)
        axis.set_title(name)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, -1].set_axis_off()
    axes[-1, -1].legend(
        *axes[0, 0].get_legend_handles_labels(), title="time to expiry", loc="center", frameon=False
    )
    figure.supxlabel("spot price")
    figure.suptitle("The Greeks of a call: by tapes (lines) and closed forms (dots)")
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.figure, dpi=130)


def main():
    console = Console()
    found = {time: by_tapes(time) for time in track(TIMES, "three orders", console=console)}
    known = {time: by_formula(time) for time in TIMES}
    middle, shown = len(SPOTS) // 2, max(TIMES)
    title = f"A call at spot {SPOTS[middle]:.0f}, {shown} years to expiry"
    table = Table(title=title, title_style="bold")
    for name in ("Greek", "by tapes", "closed form", "largest difference"):
        table.add_column(name, justify="left" if name == "Greek" else "right")
    for name, values in found[shown].items():
        off = largest_difference(values, known[shown][name])
        row = f"{values[middle]:.6g}", f"{known[shown][name][middle]:.6g}", f"{off:.0e}"
        table.add_row(name, *row)
    console.print(table)
    worst = max(largest_difference(found[t][n], known[t][n]) for t in TIMES for n in found[t])
    greeks = len(found[shown])
    console.print(f"{greeks} Greeks at {len(SPOTS)} spots agree to {worst:.0e} of their size")
    draw(found, known)
    console.print(f"figure saved as {options.figure}", soft_wrap=True)


if __name__ == "__main__":
    main()
