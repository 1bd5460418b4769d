"""The examples in the docstrings of public names run, and print what they show."""

import doctest
import inspect

import pytest

import logzoo

_SECTIONS = ("Parameters", "Returns", "Raises", "Examples")


def test_public_functions_have_an_example_that_runs():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    names = set()
    for name in logzoo.__all__:
        for example in finder.find(getattr(logzoo, name), name, module=False, globs={}):
            if example.examples:
                runner.run(example)
                names.add(name)
    assert runner.failures == 0 and runner.tries > 20
    assert names == {*logzoo.__all__}


@pytest.mark.parametrize("name", [name for name in logzoo.__all__ if inspect.isfunction(getattr(logzoo, name))])
def test_public_functions_describe_every_parameter(name):
    function = getattr(logzoo, name)
    text = inspect.getdoc(function)
    positions = [text.index(f"{section}\n{'-' * len(section)}\n") for section in _SECTIONS if section in text]
    parameters = inspect.signature(function).parameters
    assert positions == sorted(positions) and len(positions) >= 2 + bool(parameters)
    for parameter in parameters:
        assert f"\n{parameter}" in text or f"\n**{parameter}" in text or f", {parameter} : " in text, parameter
