"""Reports of benchmarks; the texts are TensorFlow's."""

import pytest

import gradtape as tf
from gradtape._src.messages import protos


class Bench(tf.test.Benchmark):
    def benchmark_it(self, **report):
        self.report_benchmark(**report)

    def benchmark_run(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return self.run_op_benchmark(
                session, tf.constant(1.0) + 1, min_iters=3, extras={"a": "b"}
            )

    def benchmark_values(self):
        with tf.Graph().as_default(), tf.compat.v1.Session():
            return self.evaluate([tf.constant(2.0)])


@pytest.fixture(autouse=True)
def no_file(monkeypatch):
    monkeypatch.delenv("TEST_REPORT_FILE_PREFIX", raising=False)


def test_a_report_is_printed(capsys):
    Bench().benchmark_it(iters=3, extras={"a": 1, "b": None}, metrics=[{"name": "m", "value": 2}])
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith('entry { name: "Bench.benchmark_it" iters: 3 extras { key: "')
    assert 'key: "a" value { double_value: 1 }' in out
    assert 'key: "b" value { string_value: "None" }' in out
    assert out.endswith('metrics { name: "m" value: 2 } }')


def test_a_report_is_written_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", f"{tmp_path}/r_")
    bounds = {"min_value": 1, "max_value": 4}
    Bench().benchmark_it(name="a/b", metrics=[{"name": "m", "value": 2, **bounds}])
    report = protos.BenchmarkEntries.FromString((tmp_path / "r_Bench.a__b").read_bytes())
    assert report.entry[0].name == "Bench.a/b"
    assert report.entry[0].metrics[0].max_value.value == 4
    with pytest.raises(OSError, match="already exists"):
        Bench().benchmark_it(name="a/b")


@pytest.mark.parametrize(
    "report", [{"extras": 3}, {"metrics": 3}, {"metrics": [{"name": "a"}]}, {"metrics": [{}]}]
)
def test_wrong_reports_are_refused(report):
    with pytest.raises(TypeError):
        Bench().benchmark_it(**report)


def test_a_session_is_measured(capsys):
    report = Bench().benchmark_run()
    assert 'name: "Bench.benchmark_run"' in capsys.readouterr().out
    assert report["iters"] == 3
    assert report["wall_time"] > 0
    assert sorted(report["extras"]) == ["a", "wall_time_mean", "wall_time_stdev"]
    assert Bench().benchmark_values() == [2.0]
    with pytest.raises(NotImplementedError):
        Bench().run_op_benchmark(None, None, store_trace=True)


def test_only_the_base_class_is_abstract():
    assert tf.test.Benchmark.is_abstract()
    assert not Bench.is_abstract()


def test_the_configuration_leaves_dependencies():
    options = tf.test.benchmark_config().graph_options.rewrite_options
    assert str(options).split() == ["dependency_optimization:", "OFF"]


def test_cases_are_benchmarks_of_their_own(capsys):
    Parameterized = tf.__internal__.test.ParameterizedBenchmark

    class Cases(tf.test.Benchmark, metaclass=Parameterized):
        _benchmark_parameters = (("one", 1), ("two", 2))

        def benchmark_it(self, n):
            self.report_benchmark(iters=n)

    assert not hasattr(Cases, "benchmark_it")
    Cases().benchmark_it__two()
    out = capsys.readouterr().out
    assert 'name: "Cases.benchmark_it__two"' in out
    assert "iters: 2" in out
    with pytest.raises(Exception, match="already defined"):
        Parameterized(
            "Twice",
            (tf.test.Benchmark,),
            {"_benchmark_parameters": [("a",), ("a",)], "benchmark_it": lambda self: None},
        )
