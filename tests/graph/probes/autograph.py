"""Python's control flow over tensors: `if`, `while`, `for`, `and`, `assert` and the like."""


def a_conditional(tf):
    @tf.function
    def f(x):
        print("trace")
        if x > 0:
            print("then")
            y = x * 2
        else:
            print("else")
            y = -x
        return y

    print(f(tf.constant(3)).numpy(), f(tf.constant(-3)).numpy())


def a_conditional_over_python_values(tf):
    @tf.function
    def f(x, flag):
        if flag:
            print("then")
            return x * 2
        print("else")
        return x

    one = tf.constant(1)
    print(f(one, True).numpy(), f(one, False).numpy(), f(one, tf.constant(True)).numpy())


def elif_chains(tf):
    @tf.function
    def f(n):
        if n % 15 == 0:
            tf.print("fizzbuzz")
        elif n % 3 == 0:
            tf.print("fizz")
        elif n % 5 == 0:
            tf.print("buzz")
        else:
            tf.print(n)

    for n in (1, 3, 5, 15):
        f(tf.constant(n))


def both_branches_are_traced(tf):
    traced = []

    @tf.function
    def f(x):
        if x > 0:
            traced.append("positive")
        else:
            traced.append("other")
        return x

    f(tf.constant(1))
    print(traced)


def returns_in_branches(tf):
    @tf.function
    def f(x):
        if x > 10:
            return x
        if x > 0:
            return x * 10
        return tf.constant(-1)

    print(f(tf.constant(20)).numpy(), f(tf.constant(2)).numpy(), f(tf.constant(-2)).numpy())


def a_return_in_one_branch_alone(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            return x

    raises(lambda: f(tf.constant(1)))


def one_branch_returns_none(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            return x
        else:
            return None

    raises(lambda: f(tf.constant(1)))


def branches_of_different_dtypes(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            y = tf.constant(1)
        else:
            y = tf.constant(1.0)
        return y

    raises(lambda: f(tf.constant(1)), "y")


def branches_of_different_shapes(tf):
    @tf.function
    def f(x):
        if x > 0:
            y = tf.ones([2])
        else:
            y = tf.ones([3])
        print(y.shape)
        return y

    print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy())


def branches_of_different_structures(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            y = (x, x)
        else:
            y = [x]
        return y

    raises(lambda: f(tf.constant(1)))


def python_numbers_in_branches_become_tensors(tf):
    @tf.function
    def f(x):
        n = 0
        if x > 0:
            n = 1
        print(tf.is_symbolic_tensor(n))
        return n

    print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy())


def int_and_float_in_branches(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            n = 1
        else:
            n = 1.5
        return n

    raises(lambda: f(tf.constant(1)))


def strings_in_branches(tf):
    @tf.function
    def f(x):
        if x > 0:
            s = "positive"
        else:
            s = "other"
        print(tf.is_symbolic_tensor(s))
        return s

    print(f(tf.constant(1)).numpy())


def a_name_from_one_branch_alone(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            y = x * 2
        return y

    raises(lambda: f(tf.constant(1)), "y")


def a_name_from_one_branch_that_is_not_used(tf):
    @tf.function
    def f(x):
        if x > 0:
            temporary = x * 2
            x = temporary + 1
        return x

    print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy())


def none_before_a_branch(tf, raises):
    @tf.function
    def f(x):
        y = None
        if x > 0:
            y = x
        return y

    raises(lambda: f(tf.constant(1)), "y")


def conditional_expressions(tf):
    @tf.function
    def f(x):
        return x * 2 if x > 0 else -x

    print(f(tf.constant(3)).numpy(), f(tf.constant(-3)).numpy())


def conditional_expressions_of_other_dtypes(tf, raises):
    @tf.function
    def f(x):
        return 1 if x > 0 else 2.5

    raises(lambda: f(tf.constant(3)))


def and_or_not(tf):
    @tf.function
    def f(x):
        a = x > 0 and x < 10
        b = x < 0 or x > 100
        c = not x > 0
        print(tf.is_symbolic_tensor(a), tf.is_symbolic_tensor(b), tf.is_symbolic_tensor(c))
        return a, b, c

    print([t.numpy() for t in f(tf.constant(5))], [t.numpy() for t in f(tf.constant(-5))])


def and_is_lazy(tf):
    @tf.function
    def f(x):
        def check(v):
            tf.print("checked", v)
            return v > 0

        return check(x) and check(x - 10), check(x) or check(x + 10)

    print([t.numpy() for t in f(tf.constant(5))])


def and_of_numbers(tf, raises):
    @tf.function
    def f(x):
        return x and x + 1

    raises(lambda: print(f(tf.constant(5)).numpy()))
    raises(lambda: print(f(tf.constant(True)).numpy()))


def chained_comparisons(tf):
    @tf.function
    def f(x):
        return 0 < x < 10

    print(f(tf.constant(5)).numpy(), f(tf.constant(50)).numpy())


def equality_in_conditions(tf):
    @tf.function
    def f(x):
        if x == 3:
            return tf.constant("three")
        if x != 4:
            return tf.constant("other")
        return tf.constant("four")

    print([f(tf.constant(n)).numpy() for n in (3, 4, 5)])


def a_condition_that_is_no_scalar(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            return x
        return -x

    raises(lambda: f(tf.constant([1, 2])))
    raises(lambda: print(f(tf.constant([1])).numpy()))


def a_condition_that_is_no_boolean(tf, raises):
    @tf.function
    def f(x):
        if x:
            return tf.constant(1)
        return tf.constant(2)

    raises(lambda: print(f(tf.constant(5)).numpy()))
    raises(lambda: print(f(tf.constant(0.0)).numpy()))
    raises(lambda: print(f(tf.constant("")).numpy()))


def is_none_is_python(tf):
    @tf.function
    def f(x, y):
        if y is None:
            print("none")
            return x
        print("given")
        return x + y

    one = tf.constant(1)
    print(f(one, None).numpy(), f(one, one).numpy())


def isinstance_is_python(tf):
    @tf.function
    def f(x):
        if isinstance(x, int):
            print("int")
        elif isinstance(x, tf.Tensor):
            print("tensor")
        return tf.constant(0)

    f(1)
    f(tf.constant(1))


def a_while_loop(tf):
    @tf.function
    def f(n):
        print("trace")
        i = tf.constant(0)
        while i * i < n:
            print("body")
            i += 1
        return i

    print(f(tf.constant(10)).numpy(), f(tf.constant(0)).numpy())


def a_while_loop_over_python_values(tf):
    @tf.function
    def f(x):
        i = 0
        while i < 3:
            print("body", i)
            x += i
            i += 1
        return x

    print(f(tf.constant(0)).numpy())


def a_python_number_becomes_a_tensor_in_a_loop(tf):
    @tf.function
    def f(n):
        i = 0
        total = 0
        while i < n:
            total += i
            i += 1
        print(tf.is_symbolic_tensor(i), tf.is_symbolic_tensor(total))
        return total

    print(f(tf.constant(5)).numpy(), f(5).numpy())


def a_python_int_that_becomes_a_float_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            total += 0.5
        return total

    raises(lambda: print(f(tf.constant(3)).numpy()))


def a_dtype_that_changes_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        x = tf.constant(0)
        for i in tf.range(n):
            x = tf.constant(1.0)
        return x

    raises(lambda: f(tf.constant(3)), "x", "float32", "int32")


def a_shape_that_changes_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            x = tf.concat([x, [1.0]], 0)
        return x

    raises(lambda: f(tf.constant(3)), "shape_invariants")


def shape_invariants(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, [1.0]], 0)
        print(x.shape)
        return x

    print(f(tf.constant(3)).numpy())


def loop_options_are_accepted(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                parallel_iterations=2, swap_memory=False, maximum_iterations=3
            )
            total += i
        return total

    print(f(tf.constant(10)).numpy())


def a_for_loop_over_a_range(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            print("body", tf.is_symbolic_tensor(i))
            total += i
        return total, i

    print([t.numpy() for t in f(tf.constant(4))])


def the_loop_variable_after_no_iteration(tf, raises):
    @tf.function
    def f(n):
        for i in tf.range(n):
            pass
        return i

    raises(lambda: print(f(tf.constant(3)).numpy()))
    raises(lambda: print(f(tf.constant(0)).numpy()))


def a_name_that_is_made_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        for i in tf.range(n):
            y = i * 2
        return y

    print(f(tf.constant(3)).numpy())
    raises(lambda: print(f(tf.constant(0)).numpy()), "y")


def a_for_loop_over_a_python_range(tf):
    @tf.function
    def f(x):
        for i in range(3):
            print("body", i)
            x += i
        return x

    print(f(tf.constant(0)).numpy())


def a_for_loop_over_python_range_of_a_tensor(tf, raises):
    @tf.function
    def f(n):
        total = 0
        for i in range(n):
            total += i
        return total

    raises(lambda: print(f(tf.constant(4)).numpy()))


def a_for_loop_over_rows(tf):
    @tf.function
    def f(xs):
        total = tf.zeros([2])
        for x in xs:
            print("body", x.shape)
            total += x
        return total

    print(f(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy())


def a_for_loop_over_unpacked_rows(tf, raises):
    @tf.function
    def f(xs):
        total = 0
        for a, b in xs:
            total += a * b
        return total

    raises(lambda: print(f(tf.constant([[1, 2], [3, 4]])).numpy()))


def enumerate_and_zip(tf):
    @tf.function
    def f(xs):
        total = 0
        for i, x in enumerate(xs):
            total += i * x
        return total

    print(f([tf.constant(1), tf.constant(2)]).numpy())


def enumerate_over_a_tensor(tf, raises):
    @tf.function
    def f(xs):
        total = 0
        for i, x in enumerate(xs):
            total += i * x
        return total

    raises(lambda: print(f(tf.constant([1, 2])).numpy()))


def enumerate_over_a_data_set(tf):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for i, x in enumerate(ds):
            total += i * x
        return total

    print(f(tf.data.Dataset.range(4)).numpy())


def a_for_loop_over_a_list(tf):
    @tf.function
    def f(xs):
        total = 0
        for x in xs:
            print("body")
            if x > 1:
                total += x
        return total

    print(f([tf.constant(1), tf.constant(2), tf.constant(3)]).numpy())


def a_for_loop_over_a_data_set(tf):
    @tf.function
    def f(ds):
        print("trace")
        total = tf.constant(0, tf.int64)
        for x in ds:
            print("body", x.shape)
            total += x
        return total

    print(f(tf.data.Dataset.range(5)).numpy(), f(tf.data.Dataset.range(3)).numpy())


def a_for_loop_over_a_batched_data_set(tf):
    @tf.function
    def f(ds):
        seen = tf.constant(0)
        for batch in ds:
            print("body", batch["x"].shape)
            seen += tf.shape(batch["x"])[0]
            if seen > 3:
                break
        return seen

    ds = tf.data.Dataset.from_tensor_slices({"x": [1, 2, 3, 4, 5, 6]}).batch(2)
    print(f(ds).numpy())


def a_for_loop_over_an_iterator(tf):
    @tf.function
    def f(it):
        total = tf.constant(0, tf.int64)
        for x in it:
            if x > 2:
                break
            total += x
        return total

    it = iter(tf.data.Dataset.range(6))
    print(f(it).numpy(), next(it).numpy())


def a_for_loop_over_a_ragged_tensor(tf):
    @tf.function
    def f(rows):
        total = 0
        for row in rows:
            print(row.shape)
            total += tf.reduce_max(row)
        return total

    print(f(tf.ragged.constant([[1, 5], [3], [2, 9, 4]])).numpy())


def a_for_loop_over_a_string_or_scalar(tf, raises):
    @tf.function
    def f(x):
        n = 0
        for c in x:
            n += 1
        return n

    raises(lambda: f(tf.constant(3)))
    raises(lambda: f(tf.constant("abc")))
    raises(lambda: print(f("abc").numpy()))


def break_and_continue(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i == 1:
                continue
            if i > 4:
                break
            total += i
        return total, i

    print([t.numpy() for t in f(tf.constant(100))])


def break_in_while_true(tf, raises):
    @tf.function
    def f(n):
        i = tf.constant(0)
        while True:
            i += 1
            if i >= n:
                break
        return i

    @tf.function
    def g(n):
        i = tf.constant(0)
        while tf.constant(True):
            i += 1
            if i >= n:
                break
        return i

    raises(lambda: f(tf.constant(7)))
    print(g(tf.constant(7)).numpy())


def a_return_in_a_loop(tf, raises):
    @tf.function
    def f(xs, wanted):
        for i in tf.range(len(xs)):
            if xs[i] == wanted:
                return i
        return -1

    raises(lambda: print(f(tf.constant([5, 6, 7]), tf.constant(6)).numpy()))
    raises(lambda: print(f(tf.constant([5, 6, 7]), tf.constant(9)).numpy()))


def a_loop_with_else(tf, raises):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            total += i
        else:
            total += 100
        return total

    raises(lambda: print(f(tf.constant(3)).numpy()))


def nested_loops(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(i):
                if j == 2:
                    break
                total += i * j
        return total

    print(f(tf.constant(5)).numpy())


def a_list_that_grows_in_python(tf):
    @tf.function
    def f(x):
        out = []
        for i in range(3):
            out.append(x * i)
        return out

    print([t.numpy() for t in f(tf.constant(2))])


def a_list_that_grows_in_a_loop_of_tensors(tf, raises):
    @tf.function
    def f(n):
        out = []
        for i in tf.range(n):
            out.append(i)
        return tf.stack(out)

    raises(lambda: print(f(tf.constant(3)).numpy()))


def a_list_that_grows_in_a_branch(tf, raises):
    @tf.function
    def f(x):
        out = []
        if x > 0:
            out.append(x)
        print(len(out))
        return x

    raises(lambda: print(f(tf.constant(3)).numpy()))


def a_dictionary_that_changes_in_a_branch(tf, raises):
    @tf.function
    def f(x):
        d = {"a": x}
        if x > 0:
            d["a"] = x * 10
        return d["a"]

    raises(lambda: print(f(tf.constant(3)).numpy(), f(tf.constant(-3)).numpy()))


def an_attribute_that_changes_in_a_loop(tf, raises):
    class Box:
        pass

    @tf.function
    def f(n):
        box = Box()
        box.total = 0
        for i in tf.range(n):
            box.total = box.total + i
        return box.total

    raises(lambda: print(f(tf.constant(4)).numpy()))


def a_tuple_in_a_loop(tf):
    @tf.function
    def f(n):
        state = (0, {"a": tf.constant(1)})
        for i in tf.range(n):
            state = (state[0] + i, {"a": state[1]["a"] * 2})
        return state

    a, d = f(tf.constant(4))
    print(a.numpy(), d["a"].numpy())


def a_structure_that_changes_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        state = (0,)
        for i in tf.range(n):
            state = (*state, i)
        return state

    raises(lambda: f(tf.constant(4)))


def none_before_a_loop(tf, raises):
    @tf.function
    def f(n):
        last = None
        for i in tf.range(n):
            last = i
        return last

    print(f(tf.constant(4)).numpy())
    raises(lambda: f(tf.constant(0)), "last")


def swapped_names_in_a_loop(tf):
    @tf.function
    def fibonacci(n):
        a, b = 0, 1
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    print([fibonacci(tf.constant(n)).numpy() for n in range(8)])


def assertions_are_converted_if_asked_for(tf, raises):
    def f(x):
        assert x > 0, "must be positive"
        return x

    raises(lambda: tf.function(f)(tf.constant(1)))
    feature = tf.autograph.experimental.Feature
    g = tf.function(f, experimental_autograph_options=feature.ASSERT_STATEMENTS)
    print(g(tf.constant(1)).numpy())
    raises(lambda: g(tf.constant(-1)), "must be positive")


def assertions_with_a_tensor_as_message(tf, raises):
    @tf.function
    def f(x):
        assert x > 0, x
        return x

    raises(lambda: f(tf.constant(-1)))


def raising_under_a_condition(tf, raises):
    @tf.function
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x

    raises(lambda: f(tf.constant(1)), "negative")


def raising_under_a_python_condition(tf, raises):
    @tf.function
    def f(x, n):
        if n < 0:
            raise ValueError("negative")
        return x

    print(f(tf.constant(1), 1).numpy())
    raises(lambda: f(tf.constant(1), -1), "negative")


def try_and_except(tf, raises):
    @tf.function
    def f(x):
        try:
            y = x + tf.ones([3])
        except ValueError:
            print("caught")
            y = x
        return y

    print(f(tf.ones([2])).numpy())


def runtime_errors_are_not_caught(tf, raises):
    @tf.function
    def f(x):
        try:
            y = tf.gather([1, 2], x)
        except tf.errors.InvalidArgumentError:
            y = tf.constant(-1)
        return y

    raises(lambda: f(tf.constant(5)))


def lambdas_and_comprehensions(tf):
    @tf.function
    def f(x):
        g = lambda v: v * 2 if v > 0 else -v
        return [g(x + i) for i in range(3)], {k: g(x) for k in "ab"}

    out, d = f(tf.constant(-1))
    print([t.numpy() for t in out], {k: v.numpy() for k, v in d.items()})


def comprehensions_over_tensors(tf, raises):
    @tf.function
    def f(xs):
        return [x * 2 for x in xs]

    raises(lambda: print([t.numpy() for t in f(tf.constant([1, 2]))]))


def functions_that_are_called_are_converted(tf):
    def helper(x):
        if x > 0:
            return x
        return -x

    class Tool:
        def use(self, x):
            return helper(x) * 2

    @tf.function
    def f(x):
        return helper(x) + Tool().use(x)

    print(f(tf.constant(-3)).numpy())


def recursion_in_python(tf, raises):
    def power(x, n):
        if n == 0:
            return tf.ones_like(x)
        return x * power(x, n - 1)

    @tf.function
    def f(x):
        return power(x, 3)

    print(f(tf.constant(2)).numpy())


def do_not_convert(tf, raises):
    @tf.autograph.experimental.do_not_convert
    def helper(x):
        if x > 0:
            return x
        return -x

    @tf.function
    def f(x):
        return helper(x)

    raises(lambda: f(tf.constant(-3)))


def do_not_convert_what_is_python(tf):
    @tf.autograph.experimental.do_not_convert
    def helper(x):
        print(tf.executing_eagerly(), tf.is_symbolic_tensor(x))
        return x * 2

    @tf.function
    def f(x):
        return helper(x)

    print(f(tf.constant(3)).numpy())


def generators_are_python(tf, raises):
    def numbers():
        yield 1
        yield 2

    @tf.function
    def f(x):
        for n in numbers():
            x += n
        return x

    print(f(tf.constant(0)).numpy())


def generators_with_conditions_over_tensors(tf, raises):
    def numbers(x):
        if x > 0:
            yield x
        yield -x

    @tf.function
    def f(x):
        return list(numbers(x))

    raises(lambda: f(tf.constant(1)))


def with_statements(tf):
    log = []

    class Scope:
        def __enter__(self):
            log.append("enter")
            return 10

        def __exit__(self, *args):
            log.append("exit")

    @tf.function
    def f(x):
        with Scope() as s:
            if x > 0:
                x = x * s
        return x

    print(f(tf.constant(2)).numpy(), f(tf.constant(-2)).numpy(), log)


def nonlocal_and_global_names(tf, raises):
    @tf.function
    def f(n):
        total = tf.constant(0)

        def add(i):
            nonlocal total
            total = total + i

        for i in range(3):
            add(i)
        return total

    print(f(tf.constant(3)).numpy())


def nonlocal_in_a_branch(tf, raises):
    @tf.function
    def f(x):
        total = tf.constant(0)

        def add(i):
            nonlocal total
            total = total + i

        if x > 0:
            add(x)
        return total

    raises(lambda: print(f(tf.constant(3)).numpy()))


def print_of_tensors_in_branches(tf):
    @tf.function
    def f(x):
        print(x > 0)
        if x > 0:
            tf.print("positive", x)
        else:
            tf.print("other", x)
        return x

    f(tf.constant(1))
    f(tf.constant(-1))


def builtins_over_tensors(tf, raises):
    @tf.function
    def f(x):
        print(
            tf.is_symbolic_tensor(len(x)),
            tf.is_symbolic_tensor(abs(x)),
            tf.is_symbolic_tensor(int(x[0])),
        )
        print(tf.is_symbolic_tensor(float(x[0])), tf.is_symbolic_tensor(sum([x[0], x[1]])))
        raises(lambda: print(tf.is_symbolic_tensor(max(x[0], x[1]))))
        raises(lambda: print(tf.is_symbolic_tensor(sorted(x))))
        raises(lambda: print(tf.is_symbolic_tensor(any(x > 0)), tf.is_symbolic_tensor(all(x > 0))))
        raises(lambda: print(tf.is_symbolic_tensor(max(x))))
        return len(x), abs(x)

    print([t.numpy() for t in f(tf.constant([3, -1]))])


def len_of_unknown_sizes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        n = len(x)
        print(tf.is_symbolic_tensor(n))
        return n

    print(f(tf.constant([1, 2, 3])).numpy())


def map_and_filter_over_lists(tf, raises):
    @tf.function
    def f(x):
        doubled = list(map(lambda v: v * 2, [x, x + 1]))
        return doubled

    print([t.numpy() for t in f(tf.constant(1))])


def slices_are_assigned_in_lists(tf):
    @tf.function
    def f(x):
        out = [None] * 3
        for i in range(3):
            out[i] = x + i
        return out

    print([t.numpy() for t in f(tf.constant(1))])


def augmented_assignment_does_not_change_the_argument(tf):
    @tf.function
    def f(x):
        x += 1
        x *= 2
        return x

    x = tf.constant(1)
    print(f(x).numpy(), x.numpy())


def a_while_loop_that_changes_a_variable(tf):
    v = tf.Variable(1)

    @tf.function
    def f(n):
        while v < n:
            v.assign(v * 2)
        return v.read_value()

    print(f(tf.constant(50)).numpy(), v.numpy())


def a_branch_that_changes_a_variable(tf):
    v = tf.Variable(1)

    @tf.function
    def f(x):
        if x > 0:
            v.assign_add(x)
        else:
            v.assign(0)
        return v.read_value()

    print(f(tf.constant(5)).numpy(), f(tf.constant(-5)).numpy())


def a_loop_that_writes_a_tensor_array(tf):
    @tf.function
    def f(xs):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(tf.shape(xs)[0]):
            if xs[i] > 0.0:
                ta = ta.write(ta.size(), xs[i])
        return ta.stack()

    print(f(tf.constant([1.0, -2.0, 3.0])).numpy())


def autograph_does_not_work_on_exec(tf, raises):
    scope = {}
    exec("def g(x):\n    if x > 0:\n        return x\n    return -x\n", scope)
    f = tf.function(scope["g"])
    raises(lambda: f(tf.constant(1)))


def to_code_and_to_graph(tf):
    def g(x):
        if x > 0:
            return x
        return -x

    code = tf.autograph.to_code(g)
    print(tf.is_symbolic_tensor(code), "def tf__g(x)" in code, "if_stmt" in code)
    converted = tf.autograph.to_graph(g)
    print(converted.__name__, converted(3), converted(tf.constant(-3)).numpy())
    graph = tf.Graph()
    with graph.as_default():
        print(tf.is_symbolic_tensor(converted(tf.constant(-3))))


def calls_of_converted_functions_in_python(tf):
    def g(x):
        if x > 0:
            return x
        return -x

    f = tf.function(g)
    print(g(-3), f.python_function is g, f(tf.constant(-3)).numpy())


def errors_name_the_line_of_the_user(tf, raises):
    @tf.function
    def f(x):
        y = x + 1
        return y.no_such_attribute

    raises(lambda: f(tf.constant(1)), "in user code", "no_such_attribute", "autograph.py")


def errors_in_called_functions(tf, raises):
    def inner(x):
        raise RuntimeError("deep inside")

    def outer(x):
        return inner(x)

    @tf.function
    def f(x):
        return outer(x)

    raises(lambda: f(tf.constant(1)), "in user code", "deep inside", "inner", "outer")


def errors_of_a_kind_of_ones_own(tf, raises):
    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(a, b)
            self.a = a

    @tf.function
    def f(x):
        raise Odd(1, 2)

    raises(lambda: f(tf.constant(1)))


def key_errors(tf, raises):
    @tf.function
    def f(x):
        return {"a": 1}["b"]

    raises(lambda: f(tf.constant(1)))


def stop_iteration_in_a_trace(tf, raises):
    @tf.function
    def f(x):
        return next(iter([]))

    raises(lambda: f(tf.constant(1)))


def deleting_a_name(tf, raises):
    @tf.function
    def f(x):
        y = x + 1
        del y
        return x

    print(f(tf.constant(1)).numpy())


def the_walrus_is_not_converted(tf, raises):
    @tf.function
    def f(x, limit):
        if (y := x * 2) > limit:
            return y
        return x

    raises(lambda: f(tf.constant(3), 4))
    print(f(3, 4).numpy(), f(1, 4).numpy())


def match_statements(tf, raises):
    @tf.function
    def f(x, kind):
        match kind:
            case "double":
                return x * 2
            case _:
                return x

    raises(lambda: print(f(tf.constant(3), "double").numpy()))


def default_arguments_and_closures(tf):
    k = 3

    @tf.function
    def f(x, n=2):
        def g(v, m=n):
            if v > 0:
                return v * m * k
            return v

        return g(x)

    print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy())


def super_and_properties(tf):
    class Base(tf.Module):
        def forward(self, x):
            if x > 0:
                return x
            return -x

    class Derived(Base):
        @property
        def factor(self):
            return 10

        @tf.function
        def forward(self, x):
            return super().forward(x) * self.factor

        @tf.function
        def explicit(self, x):
            return super(Derived, self).forward(x) + self.factor

    derived = Derived()
    print(derived.forward(tf.constant(-2)).numpy(), derived.explicit(tf.constant(-2)).numpy())


def a_return_in_a_data_set_loop(tf, raises):
    @tf.function
    def f(ds):
        for x in ds:
            if x > 2:
                return x
        return tf.constant(-1, tf.int64)

    raises(lambda: f(tf.data.Dataset.range(5)))


def a_return_in_a_loop_over_python(tf, raises):
    @tf.function
    def f(x):
        for i in range(3):
            if x == i:
                return tf.constant("found")
        return tf.constant("missing")

    raises(lambda: f(tf.constant(1)), "return")


def a_break_in_a_loop_over_python(tf, raises):
    @tf.function
    def f(x):
        for i in range(3):
            if x == i:
                break
            x += 10
        return x

    raises(lambda: print(f(tf.constant(0)).numpy()))


def a_condition_becomes_a_tensor_in_a_loop(tf, raises):
    @tf.function
    def f(x):
        i = 0
        while i < 3:
            i = i + x
        return i

    raises(lambda: f(tf.constant(1)))


def a_loop_over_a_range_with_steps_and_dtypes(tf):
    @tf.function
    def f(a, b, step):
        total = tf.zeros([], a.dtype)
        for i in tf.range(a, b, step):
            total += i
        return total

    print(f(tf.constant(10), tf.constant(0), tf.constant(-3)).numpy())
    print(f(tf.constant(0.0), tf.constant(1.0), tf.constant(0.25)).numpy())


def a_closure_over_a_loop_variable(tf, raises):
    @tf.function
    def f(x):
        calls = [lambda: x * i for i in range(3)]
        return [call() for call in calls]

    print([t.numpy() for t in f(tf.constant(1))])


def two_names_bound_to_one_tensor(tf):
    @tf.function
    def f(x):
        a = b = x
        if x > 0:
            a += 1
        return a, b

    print([t.numpy() for t in f(tf.constant(1))])


def conditions_on_shapes_are_python(tf):
    @tf.function
    def f(x):
        print("trace")
        if x.shape[0] > 2:
            print("long")
            return x[:2]
        print("short")
        return x

    print(f(tf.constant([1, 2, 3])).numpy(), f(tf.constant([1])).numpy())


def conditions_on_unknown_shapes(tf, raises):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def static(x):
        if x.shape[0] > 2:
            return x[:2]
        return x

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def dynamic(x):
        if tf.shape(x)[0] > 2:
            return x[:2]
        return x

    raises(lambda: static(tf.constant([1, 2, 3])))
    print(dynamic(tf.constant([1, 2, 3])).numpy(), dynamic(tf.constant([1])).numpy())


def a_name_that_is_made_in_a_loop_over_a_data_set(tf, raises):
    @tf.function
    def f(ds):
        for x in ds:
            y = x * 2
        return y

    @tf.function
    def g(ds):
        y = tf.constant(-1, tf.int64)
        for x in ds:
            y = x * 2
        return y

    raises(lambda: f(tf.data.Dataset.range(3)), "y", "must be defined before the loop")
    print(g(tf.data.Dataset.range(3)).numpy(), g(tf.data.Dataset.range(0)).numpy())


def the_loop_variable_of_a_data_set_afterwards(tf, raises):
    @tf.function
    def f(ds):
        for x in ds:
            pass
        return x

    raises(lambda: print(f(tf.data.Dataset.range(3)).numpy()), "x")


def a_name_that_is_made_in_a_while_loop(tf, raises):
    @tf.function
    def f(n):
        i = 0
        while i < n:
            y = i * 2
            i += 1
        return y

    raises(lambda: print(f(tf.constant(3)).numpy()))
    raises(lambda: print(f(tf.constant(0)).numpy()))


def a_structure_that_is_made_in_a_loop(tf, raises):
    @tf.function
    def f(n):
        for i in tf.range(n):
            pair = (i, {"square": i * i})
        return pair

    raises(lambda: print(f(tf.constant(3))))


def a_temporary_of_a_loop_is_not_carried(tf):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            temporary = tf.cast(i, tf.float32)
            temporary = tf.cast(temporary * 2.0, tf.int32)
            total += temporary
        return total

    print(f(tf.constant(4)).numpy())


def early_exits_of_nested_loops(tf):
    @tf.function
    def f(n):
        found = -1
        for i in tf.range(n):
            for j in tf.range(n):
                if i * j == 6:
                    found = i * 10 + j
                    break
            if found > 0:
                break
        return found

    print(f(tf.constant(10)).numpy(), f(tf.constant(2)).numpy())


def a_loop_over_a_tensor_in_a_python_loop(tf):
    @tf.function
    def f(xs):
        total = 0
        for scale in (1, 10):
            for x in xs:
                if x < 0:
                    continue
                total += x * scale
        return total

    print(f(tf.constant([1, -5, 2])).numpy())


def conditions_of_both_kinds_in_a_loop(tf):
    @tf.function
    def f(xs, positive_only):
        total = 0
        for x in xs:
            if positive_only and x < 0:
                total -= 1
            else:
                total += x
        return total

    xs = tf.constant([1, -5, 2])
    print(f(xs, True).numpy(), f(xs, False).numpy(), f(xs, tf.constant(True)).numpy())


def a_variable_assigned_to_a_new_object_in_a_branch(tf, raises):
    v, w = tf.Variable(1), tf.Variable(2)

    @tf.function
    def f(x):
        if x > 0:
            chosen = v
        else:
            chosen = w
        return chosen + 0

    raises(lambda: print(f(tf.constant(1)).numpy(), f(tf.constant(-1)).numpy()))


def functions_chosen_in_a_branch(tf, raises):
    @tf.function
    def f(x):
        if x > 0:
            g = tf.square
        else:
            g = tf.negative
        return g(x)

    raises(lambda: print(f(tf.constant(3)).numpy()))


def local_functions_in_branches(tf):
    @tf.function
    def f(x):
        if x > 0:

            def g(v):
                return v * 2

            y = g(x)
        else:
            y = x
        return y

    print(f(tf.constant(3)).numpy(), f(tf.constant(-3)).numpy())


def strings_and_tensors_in_f_strings(tf):
    @tf.function
    def f(x):
        tf.print(f"shape {x.shape} of", x)
        print(f"value {x!r}")
        return x

    f(tf.constant([1, 2]))


def comparisons_with_in(tf, raises):
    @tf.function
    def f(x):
        return x in [1, 2]

    @tf.function
    def python(s):
        return tf.constant(s in ("a", "b"))

    raises(lambda: f(tf.constant(1)))
    print(python("a").numpy(), python("z").numpy())


def undefined_names(tf, raises):
    @tf.function
    def f(x):
        return no_such_name + x

    @tf.function
    def g(x):
        print(y)
        y = x
        return y

    raises(lambda: f(tf.constant(1)), "no_such_name")
    raises(lambda: g(tf.constant(1)), "y")


def a_custom_gradient_is_not_converted(tf, raises):
    @tf.custom_gradient
    def power(x):
        y = x
        for _ in tf.range(2):
            y = y * x
        return y, lambda dy: dy * 3.0 * x**2

    @tf.custom_gradient
    @tf.autograph.experimental.do_not_convert
    def same(x):
        return x, lambda dy: dy

    print(power(tf.constant(2.0)).numpy())
    raises(lambda: tf.function(lambda x: power(x))(tf.constant(2.0)))
    print(tf.function(lambda x: same(x))(tf.constant(2.0)).numpy())


def what_is_called_by_tensorflow_is_converted_or_not(tf, raises):
    def absolute(x):
        if x > 0:
            return x
        return -x

    x = tf.constant(-3.0)
    xs = tf.constant([1.0, -2.0])
    raises(
        lambda: print(tf.function(lambda x: tf.cond(x < 9.0, lambda: absolute(x), lambda: x))(x))
    )
    raises(lambda: print(tf.function(lambda x: tf.map_fn(absolute, x))(xs).numpy()))
    raises(lambda: print(tf.function(lambda x: tf.vectorized_map(absolute, x))(xs).numpy()))
    raises(lambda: print(tf.function(lambda x: tf.recompute_grad(absolute)(x))(x).numpy()))
    raises(lambda: print(tf.function(lambda x: tf.nest.map_structure(absolute, [x])[0])(x).numpy()))
    raises(lambda: print(tf.function(lambda x: tf.scan(lambda s, t: absolute(t), x))(xs).numpy()))
    raises(
        lambda: print(tf.function(lambda x: tf.py_function(absolute, [x], tf.float32))(x).numpy())
    )
    raises(lambda: print(tf.function(lambda x: list(map(absolute, [x]))[0])(x).numpy()))
    raises(lambda: print(tf.function(lambda x: sorted([x], key=absolute)[0])(x).numpy()))
    raises(lambda: print(tf.function(lambda x: tf.keras.layers.Lambda(absolute)(x))(x).numpy()))


def methods_of_layers_are_not_converted(tf, raises):
    class Gate(tf.keras.layers.Layer):
        def call(self, x):
            if tf.reduce_sum(x) > 0:
                return x
            return -x

    layer = Gate()

    @tf.function
    def f(x):
        return layer(x)

    raises(lambda: f(tf.constant([1.0])))
