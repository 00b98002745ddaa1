"""Greeks of a European call by nested tapes."""

import math

import gradtape as tf

STRIKE, RATE = 100.0, 0.03


def cumulative(x: tf.Tensor) -> tf.Tensor:
    return 0.5 * tf.math.erfc(-x / math.sqrt(2.0))


def price(spot: tf.Tensor, volatility: tf.Tensor, time: float = 0.75) -> tf.Tensor:
    deviation = volatility * math.sqrt(time)
    d1 = (tf.math.log(spot / STRIKE) + RATE * time) / deviation + deviation / 2
    return spot * cumulative(d1) - STRIKE * math.exp(-RATE * time) * cumulative(d1 - deviation)


def greeks(spot: tf.Tensor, volatility: tf.Tensor) -> dict[str, tf.Tensor]:
    with tf.GradientTape(persistent=True) as second:
        second.watch([spot, volatility])
        with tf.GradientTape() as first:
            first.watch([spot, volatility])
            value = price(spot, volatility)
        delta, vega = first.gradient(value, (spot, volatility))
    gamma = second.gradient(delta, spot)
    vanna, volga = second.gradient(delta, volatility), second.gradient(vega, volatility)
    return {"delta": delta, "vega": vega, "gamma": gamma, "vanna": vanna, "volga": volga}


def main() -> None:
    spots = tf.linspace(tf.constant(80.0, tf.float64), 120.0, 5)
    found = greeks(spots, tf.fill(spots.shape, tf.constant(0.25, tf.float64)))
    for name, values in found.items():
        print(f"{name:>6}", *(f"{float(v):8.4f}" for v in values))
    assert tf.reduce_all(found["gamma"] > 0)


if __name__ == "__main__":
    main()
