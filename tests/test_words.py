"""Words that the project does not use, in documentation, docstrings, comments, messages and configuration."""

import ast
import io
import re
import tokenize

from projects import ROOT

# Published results and their quotations are not checked.
BANNED = (
    r"made anew|anew\b|held against|told from|told apart|\btells of\b|\btells that\b|\bvouch(?:es|ed)?\b"
    r"|\btrusted, sound\b|\bsure bounds?\b|\bwhatever for\b|\bin the place of\b|\bbesides them\b|\bthe like\b"
    r"|\bmay be had\b|\bcan be had\b|\bcannot be had\b|\bof no use\b|\bgoes by\b|\bdraws nearer\b"
    r"|\bwhence\b|\bwherein\b|\bwhereof\b|\bhereof\b|\bthereof\b|\bas it were\b|\bonce more\b|\bbe it\b|\blest\b"
    r"|\bhardly any\b|\ball there is\b|\bto be sure\b|\bthat which\b|\bthose which\b|\bno more than that\b"
    r"|\bnothing (?:in it )?tells\b|\bcomes? to nothing\b|\bthe rest of them\b|\bstrays? (?:farthest|far)\b"
    r"|\bdear(?:er|est)?\b|\bfault of ours\b|\bsays? of itself\b|\bsay of themselves\b|\bsay themselves\b"
)
PATTERN = re.compile(BANNED, re.IGNORECASE)
# Names that do not say what they hold.
VAGUE = {"one", "found", "made", "said", "told", "given", "asked", "place", "own", "each", "rest", "kept", "there"}
# Arguments that are options of methods, which users write; "=" marks an argument.
OPTIONS = {"annealed.py": {"kept="}, "snapshot_ladders.py": {"kept=", "each="}}
# Quotations of published results.
QUOTED = re.compile(r"<!-- \w+: [^>]+-->.*?<!-- / -->", re.DOTALL)
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Snakefile", *(ROOT / "docs").rglob("*.md")]
TEXTS += [path for folder in ("config", "workflow") for path in (ROOT / folder).rglob("*")]
TEXTS = [path for path in TEXTS if path.suffix in (".md", ".yaml", ".smk", ".html") or path.name == "Snakefile"]
TEXTS = [path for path in TEXTS if "_build" not in path.parts]
SOURCES = [path for folder in ("src", "workflow/scripts") for path in (ROOT / folder).rglob("*.py")]


def words_of(path):
    """The words of a file: all of a text; comments and strings of Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return QUOTED.sub("", text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return "\n".join([*comments, *(value for value in constants if isinstance(value, str))])


def banned_in(text):
    return [match.group() for match in PATTERN.finditer(" ".join(text.split()))]


def test_no_banned_phrase_is_used():
    found = {path: banned_in(words_of(path)) for path in [*TEXTS, *SOURCES]}
    assert {str(path.relative_to(ROOT)): phrases for path, phrases in found.items() if phrases} == {}


def vague_in(text):
    """The locals, and the arguments with "=", whose names are vague; fields of classes are none of them."""
    nodes = list(ast.walk(ast.parse(text)))
    entries = [entry for node in nodes if isinstance(node, ast.ClassDef) for entry in node.body]
    fields = [entry.target for entry in entries if isinstance(entry, ast.AnnAssign)]
    stored = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names = {node.id for node in stored if node.id in VAGUE and node not in fields}
    return names | {f"{node.arg}=" for node in nodes if isinstance(node, ast.arg) and node.arg in VAGUE}


def test_locals_are_called_by_what_they_hold():
    vague = {path: vague_in(path.read_text(encoding="utf-8")) - OPTIONS.get(path.name, set()) for path in SOURCES}
    assert {str(path.relative_to(ROOT)): names for path, names in vague.items() if names} == {}
