"""Whole programs in functions, as people write them: solvers, loops of training, decoders."""

import numpy as np


def k_means(tf):
    @tf.function
    def fit(points, centers, steps):
        for _ in tf.range(steps):
            distances = tf.reduce_sum((points[:, None] - centers[None]) ** 2, -1)
            nearest = tf.argmin(distances, 1)
            centers = tf.math.unsorted_segment_mean(points, nearest, tf.shape(centers)[0])
        return centers, nearest

    points = tf.constant([[0.0, 0.0], [0.0, 1.0], [10.0, 10.0], [10.0, 11.0]])
    centers, nearest = fit(points, points[:2], tf.constant(10))
    print(centers.numpy().tolist(), nearest.numpy().tolist())


def power_iteration(tf):
    @tf.function
    def largest(a, tolerance):
        v = tf.ones([tf.shape(a)[0], 1])
        change = tf.constant(1.0)
        value = tf.constant(0.0)
        while change > tolerance:
            w = a @ v
            new = tf.norm(w)
            change = tf.abs(new - value)
            value = new
            v = w / new
        return value

    print(round(float(largest(tf.constant([[2.0, 1.0], [1.0, 3.0]]), tf.constant(1e-5))), 3))


def an_equation_of_motion(tf):
    def slope(state):
        return tf.stack([state[1], -state[0]])

    @tf.function
    def solve(state, dt, steps):
        path = tf.TensorArray(tf.float32, size=steps + 1)
        path = path.write(0, state)
        for i in tf.range(steps):
            a = slope(state)
            b = slope(state + dt / 2 * a)
            c = slope(state + dt / 2 * b)
            d = slope(state + dt * c)
            state = state + dt / 6 * (a + 2 * b + 2 * c + d)
            path = path.write(i + 1, state)
        return path.stack()

    path = solve(tf.constant([1.0, 0.0]), tf.constant(np.pi / 20, tf.float32), tf.constant(20))
    print(path.shape, np.round(path[-1].numpy(), 3).tolist())


def newton_with_derivatives(tf):
    @tf.function
    def root(x, steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**3 - 2.0
            x = x - y / tape.gradient(y, x)
        return x

    print(round(float(root(tf.constant(1.0), tf.constant(6))), 5))


def game_of_life(tf):
    @tf.function(
        input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)]
    )
    def play(board, steps):
        for _ in tf.range(steps):
            padded = tf.cast(tf.pad(board, [[1, 1], [1, 1]]), tf.float32)[None, :, :, None]
            kernel = tf.reshape(tf.constant([1.0, 1, 1, 1, 0, 1, 1, 1, 1]), [3, 3, 1, 1])
            around = tf.cast(tf.nn.conv2d(padded, kernel, 1, "VALID")[0, :, :, 0], tf.int32)
            board = tf.cast((around == 3) | ((board == 1) & (around == 2)), tf.int32)
            board.set_shape([None, None])
        return board

    blinker = tf.constant([[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    print(play(blinker, 1).numpy().tolist(), play(blinker, 2).numpy().tolist())


def sieve_of_primes(tf):
    @tf.function
    def primes(n):
        flags = tf.concat([[False, False], tf.ones([n - 2], tf.bool)], 0)
        i = 2
        while i * i < n:
            if flags[i]:
                multiples = tf.range(i * i, n, i)
                flags = tf.tensor_scatter_nd_update(
                    flags, multiples[:, None], tf.zeros_like(multiples, tf.bool)
                )
            flags.set_shape([None])
            i += 1
        return tf.where(flags)[:, 0]

    print(primes(tf.constant(30)).numpy().tolist())


def greatest_common_divisor(tf):
    @tf.function
    def gcd(a, b):
        while b != 0:
            a, b = b, a % b
        return a

    print(
        gcd(tf.constant(48), tf.constant(36)).numpy(),
        gcd(48, 36).numpy(),
        gcd.experimental_get_tracing_count(),
    )


def a_binary_search(tf):
    @tf.function
    def search(xs, wanted):
        low, high, found = 0, tf.size(xs) - 1, -1
        while low <= high and found < 0:
            middle = (low + high) // 2
            if xs[middle] == wanted:
                found = middle
            elif xs[middle] < wanted:
                low = middle + 1
            else:
                high = middle - 1
        return found

    xs = tf.constant([1, 3, 5, 7, 11])
    print([search(xs, tf.constant(n)).numpy() for n in (7, 4, 1)])


def greedy_decoding(tf):
    table = tf.constant([[0.0, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5], [5, 0, 0, 0]])

    @tf.function
    def decode(start, end, limit):
        out = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        token = start
        for i in tf.range(limit):
            token = tf.cast(tf.argmax(table[token]), tf.int32)
            out = out.write(i, token)
            if token == end:
                break
        return out.stack()

    print(decode(tf.constant(0), tf.constant(3), tf.constant(10)).numpy().tolist())
    print(decode(tf.constant(0), tf.constant(9), tf.constant(6)).numpy().tolist())


def a_recurrent_cell_by_hand(tf):
    w, u = tf.Variable([[0.5]]), tf.Variable([[0.25]])

    @tf.function
    def run(xs):
        state = tf.zeros([tf.shape(xs)[0], 1])
        for t in tf.range(tf.shape(xs)[1]):
            state = tf.tanh(xs[:, t] @ w + state @ u)
        return state

    xs = tf.reshape(tf.constant([1.0, 2.0, 3.0]), [1, 3, 1])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(run(xs))
    print(round(float(y), 4), [np.round(g.numpy(), 4).tolist() for g in tape.gradient(y, [w, u])])


def gradient_accumulation(tf):
    w = tf.Variable(0.0)
    total, count = tf.Variable(0.0), tf.Variable(0)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = (w * x - y) ** 2
        total.assign_add(tape.gradient(loss, w))
        count.assign_add(1)
        if count == 2:
            w.assign_sub(0.1 * total / 2.0)
            total.assign(0.0)
            count.assign(0)
        return loss

    for x, y in [(1.0, 2.0), (2.0, 4.0), (1.0, 2.0)]:
        step(tf.constant(x), tf.constant(y))
        print(round(float(w), 4), round(float(total), 4), count.numpy())


def two_players(tf):
    a, b = tf.Variable(1.0), tf.Variable(1.0)

    @tf.function
    def step():
        with tf.GradientTape() as first, tf.GradientTape() as second:
            game = a * b + a**2 - b**2
            other = -game
        a.assign_sub(0.1 * first.gradient(game, a))
        b.assign_sub(0.1 * second.gradient(other, b))
        return game

    print([round(float(step()), 4) for _ in range(3)], round(float(a), 4), round(float(b), 4))


def a_penalty_on_gradients(tf):
    w = tf.Variable([[1.0], [2.0]])

    @tf.function
    def loss(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ w))
        slopes = inner.gradient(y, x)
        return tf.reduce_mean((tf.norm(slopes, axis=1) - 1.0) ** 2)

    with tf.GradientTape() as tape:
        value = loss(tf.constant([[0.1, 0.2], [0.3, -0.1]]))
    print(round(float(value), 4), np.round(tape.gradient(value, w).numpy(), 4).tolist())


def a_step_of_two_levels(tf):
    w = tf.Variable(1.0)

    @tf.function
    def meta(x, y):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = (w * x - y) ** 2
            fast = w - 0.1 * inner.gradient(loss, w)
            after = (fast * x - y) ** 2
        return after, outer.gradient(after, w)

    print([round(float(t), 4) for t in meta(tf.constant(2.0), tf.constant(3.0))])


def a_fixed_point_with_a_custom_gradient(tf):
    @tf.custom_gradient
    def square_root(x):
        y = x
        for _ in range(20):
            y = 0.5 * (y + x / y)

        def grad(dy):
            return dy / (2.0 * y)

        return y, grad

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square_root(x)
        return y, tape.gradient(y, x)

    print([round(float(t), 4) for t in f(tf.constant(9.0))])


def an_environment_in_python(tf):
    class Walk:
        def __init__(self):
            self.place = 0

        def step(self, action):
            self.place += 1 if action else -1
            return np.int32(self.place), np.bool_(abs(self.place) >= 3)

    walk = Walk()

    @tf.function
    def episode(limit):
        places = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for t in tf.range(limit):
            place, done = tf.numpy_function(walk.step, [t % 4 != 0], [tf.int32, tf.bool])
            place.set_shape([])
            places = places.write(t, place)
            if tf.reshape(done, []):
                break
        return places.stack()

    print(episode(tf.constant(20)).numpy().tolist(), walk.place)


def discounted_returns(tf):
    @tf.function
    def returns(rewards, gamma):
        n = tf.shape(rewards)[0]
        out = tf.TensorArray(tf.float32, size=n)
        total = tf.constant(0.0)
        rewards = rewards[::-1]
        for i in tf.range(n):
            total = rewards[i] + gamma * total
            total.set_shape([])
            out = out.write(i, total)
        return out.stack()[::-1]

    print(returns(tf.constant([1.0, 0.0, 2.0]), tf.constant(0.5)).numpy().tolist())


def a_queue_of_work(tf):
    @tf.function
    def steps_to_zero(n):
        stack = tf.TensorArray(tf.int32, size=1, dynamic_size=True, clear_after_read=False)
        stack = stack.write(0, n)
        size, total = tf.constant(1), 0
        while size > 0:
            size -= 1
            top = stack.read(size)
            total += top
            if top > 1:
                stack = stack.write(size, top // 2)
                stack = stack.write(size + 1, top // 3)
                size += 2
        return total

    print(steps_to_zero(tf.constant(10)).numpy())


def moving_averages(tf):
    average = tf.Variable(0.0, trainable=False)
    started = tf.Variable(False, trainable=False)

    @tf.function
    def update(x):
        if not started:
            average.assign(x)
            started.assign(True)
        else:
            average.assign(0.5 * average + 0.5 * x)
        return average.read_value()

    print([float(update(tf.constant(x))) for x in (4.0, 2.0, 0.0)])


def edit_distance(tf):
    @tf.function
    def distance(a, b):
        row = tf.range(tf.size(b) + 1)
        for i in tf.range(tf.size(a)):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(row, tf.TensorShape([None]))]
            )
            new = tf.TensorArray(tf.int32, size=tf.size(b) + 1, clear_after_read=False)
            last = i + 1
            new = new.write(0, last)
            for j in tf.range(tf.size(b)):
                change = row[j] + tf.cast(a[i] != b[j], tf.int32)
                last = tf.minimum(tf.minimum(last + 1, row[j + 1] + 1), change)
                last.set_shape([])
                new = new.write(j + 1, last)
            row = new.stack()
        return row[-1]

    a, b = (tf.strings.unicode_decode(s, "UTF-8") for s in ("kitten", "sitting"))
    print(distance(a, b).numpy())


def mandelbrot(tf):
    @tf.function
    def escapes(c, limit):
        z = tf.zeros_like(c)
        count = tf.zeros(tf.shape(c), tf.int32)
        for _ in tf.range(limit):
            inside = tf.abs(z) <= 2.0
            z = tf.where(inside, z * z + c, z)
            count += tf.cast(inside, tf.int32)
        return count

    x, y = tf.meshgrid(tf.linspace(-2.0, 0.5, 4), tf.linspace(-1.0, 1.0, 3))
    print(escapes(tf.complex(x, y), tf.constant(10)).numpy().tolist())


def a_markov_chain_with_a_seed(tf):
    @tf.function
    def walk(seed, steps):
        place = tf.constant(0)
        lowest = place
        for i in tf.range(steps):
            seed = tf.random.experimental.stateless_fold_in(seed, i)
            up = tf.random.stateless_uniform([], seed) < 0.5
            if up:
                place += 1
            else:
                place -= 1
            lowest = tf.minimum(lowest, place)
        return place, lowest

    a, b = walk(tf.constant([1, 2]), tf.constant(50)), walk(tf.constant([1, 2]), tf.constant(50))
    print(a[0].numpy() == b[0].numpy(), a[1].numpy() <= a[0].numpy(), (a[0].numpy() - 50) % 2)


def a_class_that_generates_text(tf):
    class Step(tf.Module):
        def __init__(self, words):
            super().__init__()
            self.ids = tf.keras.layers.StringLookup(vocabulary=words)
            self.words = tf.keras.layers.StringLookup(vocabulary=words, invert=True)
            self.next = tf.Variable([0, 2, 3, 1])

        @tf.function
        def one(self, word, states=None):
            i = self.ids(word)
            after = tf.gather(self.next, i)
            states = tf.zeros_like(after) if states is None else states + 1
            return self.words(after), states

    step = Step(["a", "b", "c"])
    word, states = tf.constant(["a"]), None
    said = [word.numpy()[0]]
    for _ in range(4):
        word, states = step.one(word, states)
        said.append(word.numpy()[0])
    print(said, states.numpy(), step.one.experimental_get_tracing_count())


def attention_with_a_mask(tf):
    @tf.function(
        input_signature=[tf.TensorSpec([None, None, 2])] * 3 + [tf.TensorSpec([None], tf.int32)]
    )
    def attend(q, k, v, lengths):
        scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(2.0)
        mask = tf.sequence_mask(lengths, tf.shape(k)[1])[:, None]
        scores = tf.where(mask, scores, -1e9)
        return tf.nn.softmax(scores) @ v

    x = tf.constant([[[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]]])
    print(np.round(attend(x, x, x, tf.constant([2])).numpy(), 3).tolist())


def augmentation_in_a_pipeline(tf):
    @tf.function
    def flip(image, label):
        if label % 2 == 0:
            image = image[:, ::-1]
        return image, label

    images = tf.reshape(tf.range(8), [2, 2, 2])
    ds = tf.data.Dataset.from_tensor_slices((images, [0, 1])).map(flip).batch(2)
    for batch, labels in ds:
        print(batch.numpy().tolist(), labels.numpy(), batch.shape)
    print(ds.element_spec)


def an_online_mean_and_variance(tf):
    class Welford(tf.Module):
        def __init__(self):
            super().__init__()
            self.n, self.mean, self.m2 = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def add(self, xs):
            for x in xs:
                self.n.assign_add(1.0)
                delta = x - self.mean
                self.mean.assign_add(delta / self.n)
                self.m2.assign_add(delta * (x - self.mean))
            return self.mean.read_value(), self.m2 / self.n

    welford = Welford()
    welford.add([1.0, 2.0])
    print([round(float(t), 4) for t in welford.add([3.0, 4.0, 5.0])])
