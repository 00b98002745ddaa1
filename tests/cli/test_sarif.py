"""SARIF as the standard demands it: OASIS, "Static Analysis Results Interchange Format" 2.1.0."""

import json

import jsonschema
import pytest

pytestmark = pytest.mark.slow
TEXT = {"type": "string"}
MESSAGE = {
    "type": "object",
    "properties": dict.fromkeys(("text", "markdown", "id"), TEXT) | {"arguments": {}},
    "anyOf": [{"required": ["text"]}, {"required": ["id"]}],
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
POSITIVE = {"type": "integer", "minimum": 1}


def _object(required, **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


REGION = _object([], startLine=POSITIVE, startColumn=POSITIVE, endLine=POSITIVE, endColumn=POSITIVE)
FILE = _object([], uri={"type": "string", "format": "uri-reference"}, uriBaseId=TEXT)
LOCATION = _object(
    [],
    physicalLocation=_object([], artifactLocation=FILE, region=REGION),
    logicalLocations={
        "type": "array",
        "items": _object([], name=TEXT, fullyQualifiedName=TEXT, kind=TEXT),
        "uniqueItems": True,
    },
)
RULE = _object(
    ["id"],
    id=TEXT,
    name=TEXT,
    shortDescription=_object(["text"], text=TEXT, markdown=TEXT),
    fullDescription=_object(["text"], text=TEXT, markdown=TEXT),
    help=_object(["text"], text=TEXT, markdown=TEXT),
    helpUri={"type": "string", "format": "uri"},
    defaultConfiguration=_object([], level=LEVEL, enabled={"type": "boolean"}),
)
DRIVER = _object(
    ["name"],
    name=TEXT,
    version=TEXT,
    informationUri={"type": "string", "format": "uri"},
    rules={"type": "array", "items": RULE, "uniqueItems": True},
)
RESULT = _object(
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
)
NOTIFICATION = _object(
    ["message"],
    message=MESSAGE,
    level=LEVEL,
    locations={"type": "array", "items": LOCATION, "uniqueItems": True},
)
INVOCATION = _object(
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications={"type": "array", "items": NOTIFICATION},
    exitCode={"type": "integer"},
)
RUN = _object(
    ["tool"],
    tool=_object(["driver"], driver=DRIVER),
    results={"type": "array", "items": RESULT},
    invocations={"type": "array", "items": INVOCATION, "uniqueItems": True},
)
SCHEMA = _object(
    ["version", "runs"],
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"enum": ["2.1.0"]},
    runs={"type": "array", "minItems": 0, "items": RUN},
)
"""The parts of the standard's schema for what the report contains; other members are refused."""


@pytest.fixture
def findings(gradtape, script, notebook):
    """The report about programs with every kind of place: lines, cells and an unreadable file."""
    script("import tensorflow as tf\ntf.nothing_1\ntf.abs = abs\n", "one, two.py")
    script("import tensorflow as tf\ntf.constant(1)\n", "good.py")
    script("def f(:", "bad.py")
    notebook("import tensorflow as tf", "tf.lite.Interpreter")
    return lambda *names: json.loads(gradtape("doctor", "--format", "sarif", *names).stdout)


@pytest.mark.parametrize("names", [["."], ["good.py"], ["bad.py"], ["book.ipynb", "one, two.py"]])
def test_the_schema_is_kept(findings, names):
    report = findings(*names)
    checker = jsonschema.FormatChecker()
    jsonschema.Draft7Validator(SCHEMA, format_checker=checker).validate(report)


def test_results_name_rules_that_the_driver_lists(findings):
    (run,) = findings(".")["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= known
    assert run["results"]


def test_the_schema_refuses_what_lacks_a_message(findings):
    report = findings("one, two.py")
    del report["runs"][0]["results"][0]["message"]["text"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, SCHEMA)
