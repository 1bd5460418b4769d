"""The directive `command-line`: every command of logzoo and replication and its arguments, from the parsers."""

import argparse
from functools import partial

from docutils import nodes
from prose import inline, paragraph, section
from sphinx.util.docutils import SphinxDirective

from logzoo.cli import main
from replication import cli

_WIDTH = 88


def setup(app):
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True}


def commands():
    """{command: its parser}."""
    found = {}
    for parser in (main.command_parser(), cli.command_parser()):
        (group,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        found |= {f"{parser.prog} {name}": command for name, command in group.choices.items()}
    return found


class CommandLine(SphinxDirective):
    """A section of each command: its description, usage and arguments."""

    def run(self):
        return [self._section(name, parser) for name, parser in commands().items()]

    def _section(self, name, parser):
        parser.formatter_class = partial(argparse.HelpFormatter, width=_WIDTH)
        usage = parser.format_usage().removeprefix("usage: ")
        formatter = parser._get_formatter()
        entries = [
            nodes.definition_list_item(
                "",
                nodes.term("", "", nodes.literal("", _spelled(action))),
                nodes.definition("", nodes.paragraph("", "", *inline(formatter._expand_help(action)))),
            )
            for action in parser._actions
            if action.help not in (None, argparse.SUPPRESS)
        ]
        block = nodes.literal_block(usage, usage, language="none")
        arguments = nodes.definition_list("", *entries)
        return section(self.state.document, name, paragraph(parser.description), block, arguments)


def _spelled(action):
    """An argument as users type it: `-o, --output MODEL`."""
    takes = "" if action.nargs == 0 else action.metavar or action.dest.upper()
    return f"{', '.join(action.option_strings)} {takes}".strip()
