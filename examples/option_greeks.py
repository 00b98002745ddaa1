"""The Greeks of a European call to third order, against their closed forms.

    python examples/option_greeks.py

Black and Scholes' price is differentiated by spot, volatility and time: nested tapes give each
next order, for all spots at once. `--short` takes fewer spots.
"""

import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import norm

import gradtape as tf

SPOTS = np.linspace(60.0, 140.0, 5 if "--short" in sys.argv else 100_001)
STRIKE, RATE, VOLATILITY, TIME = 100.0, 0.03, 0.25, 0.75


def cumulative(x):
    return 0.5 * tf.math.erfc(-x / np.sqrt(2.0))


def price(spot, volatility, time):
    deviation = volatility * tf.sqrt(time)
    d1 = (tf.math.log(spot / STRIKE) + RATE * time) / deviation + deviation / 2
    return spot * cumulative(d1) - STRIKE * tf.exp(-RATE * time) * cumulative(d1 - deviation)


def by_tapes():
    """All derivatives up to the third: one tape for each order."""
    s = tf.constant(SPOTS)
    v = tf.fill(s.shape, tf.constant(VOLATILITY, tf.float64))
    t = tf.fill(s.shape, tf.constant(TIME, tf.float64))
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


def by_formula():
    """The closed forms (Haug, The Complete Guide to Option Pricing Formulas, 2007)."""
    s, v, t, r = SPOTS, VOLATILITY, TIME, RATE
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


def main():
    found, known = by_tapes(), by_formula()
    middle = len(SPOTS) // 2
    table = Table(title=f"A call at spot {SPOTS[middle]:.0f}", title_style="bold")
    for name in ("Greek", "by tapes", "closed form", "largest difference"):
        table.add_column(name, justify="left" if name == "Greek" else "right")
    worst = 0.0
    for name, values in found.items():
        off = np.abs(values - known[name]).max() / np.abs(known[name]).max()
        worst = max(worst, off)
        table.add_row(name, f"{values[middle]:.6g}", f"{known[name][middle]:.6g}", f"{off:.0e}")
    console = Console()
    console.print(table)
    console.print(f"{len(found)} Greeks at {len(SPOTS)} spots agree to {worst:.0e} of their size")


if __name__ == "__main__":
    main()
