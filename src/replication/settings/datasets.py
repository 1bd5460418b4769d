"""Settings of raw data and of data sets (config/datasets.yaml)."""

# The type `Dataset` is made at run time.
# pyright: reportInvalidTypeForm=false
from itertools import starmap
from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model, model_validator

from logzoo.models.known.families import FAMILIES
from replication.settings.fields import Count, Line, Name, Options, Section, Seed, WrongSetting, check_known

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
GitBlob = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
FileName = Annotated[str, Field(pattern="^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
_FILE = "^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$"


class Checked(Section):
    """Checksums and size of a file."""

    sha256: Sha256 | None = Field(None, description="SHA-256 of the bytes.")
    git_blob: GitBlob | None = Field(None, description='SHA-1 over "blob LENGTH", a zero byte and the bytes.')
    bytes: Count | None = Field(None, description="Size of the file and limit of a download (by default 256 MiB).")


class Address(Checked):
    """An address of a file. It has separate checksums if it holds a gzip or another version of the file."""

    file: Annotated[str, Field(pattern=_FILE)] | None = Field(None, description="Path inside a mirror folder.")
    url: Annotated[str, Field(pattern=r"^https?://[^/\s]+/\S+$")] | None = Field(None, description="Public address.")
    gzip: Literal[True] | None = Field(
        None, description="The address holds a gzip of the file. The checksum of the gzip is required."
    )

    @model_validator(mode="after")
    def _one_address(self):
        if (self.file is None) == (self.url is None):
            raise WrongSetting("expected either the key 'file' or the key 'url'")
        if self.gzip and self.sha256 is self.git_blob is None:
            raise WrongSetting("expected the key 'sha256' or 'git_blob' of the gzip")
        return self


class File(Checked):
    """A raw file: its checksum, and its addresses."""

    sources: list[Address] = Field(min_length=1, description="Addresses, tried in this order.")

    @model_validator(mode="after")
    def _checksum(self):
        if self.sha256 is self.git_blob is None:
            raise WrongSetting("expected the key 'sha256' or 'git_blob'")
        return self


class Source(Section):
    """A folder of raw files, `data/raw/<source>`."""

    title: Line = Field(description="Title.")
    licence: Line = Field(description="Terms under which the files may be used.")
    citation: Line = Field(description="Publication to cite.")
    files: dict[FileName, File] = Field(description="Raw files by name.")


class Splits(Section):
    """A number of examples for each split."""

    train: Count = Field(description="Training examples.")
    validation: Count = Field(description="Validation examples.")
    test: Count = Field(description="Test examples.")


class SplitFiles(Section):
    """The file of each split."""

    train: FileName = Field(description="File of the training examples.")
    validation: FileName = Field(description="File of the validation examples.")
    test: FileName = Field(description="File of the test examples.")


class OwnSplit(Section):
    """A split of one file, in place of a benchmark's split that is not available."""

    file: FileName = Field(description="File with all rows.")
    validation: Count = Field(description="Validation rows.")
    test: Count = Field(description="Test rows, which come last. The training rows come first.")
    seed: Seed | None = Field(None, description="Seed of a shuffle. Without it, rows keep the order of the file.")


class _FilesOrSplit(Section):
    files: SplitFiles | None = Field(None, description="One file for each split. Excludes `own_split`.")
    own_split: OwnSplit | None = Field(None, description="One file, split here. Excludes `files`.")

    @model_validator(mode="after")
    def _one_of_both(self):
        if (self.files is None) == (self.own_split is None):
            raise WrongSetting("expected either the key 'files' or the key 'own_split'")
        return self


class TextOptions(_FilesOrSplit):
    """Options of the reader `text`: one example in each row, as zeros and ones."""

    separator: Literal[" ", ","] = Field(description="Character between values.")
    sort: list[Literal["train", "validation", "test"]] | None = Field(
        None, description="Splits whose rows are sorted. Requires `files`."
    )

    @model_validator(mode="after")
    def _sorted_files(self):
        if self.sort is not None and (self.files is None or len(set(self.sort)) < len(self.sort)):
            raise WrongSetting("expected different splits, of `files`", "sort")
        return self


class LibsvmOptions(_FilesOrSplit):
    """Options of the reader `libsvm`: the format of LIBSVM."""

    features: Count = Field(description="Number of features.")


class Images(Section):
    """Two files of IDX arrays."""

    images: FileName = Field(description="File of the images.")
    labels: FileName = Field(description="File of the labels.")


class IdxOptions(Section):
    """Options of the reader `idx`: the format of MNIST."""

    train: Images = Field(description="Training and validation examples.")
    test: Images = Field(description="Test examples.")
    validation: Count = Field(description="Validation examples: the last examples of `train`.")
    threshold: Annotated[int, Field(ge=1, le=255)] | None = Field(
        None, description="Grey levels of at least this value become 1. Without it, the data stay grey."
    )


class Variables(Section):
    """Two variables of a MATLAB file."""

    data: Line = Field(description="Variable with the examples.")
    labels: Line = Field(description="Variable with the labels.")


class MatlabOptions(Section):
    """Options of the reader `matlab`."""

    file: FileName = Field(description="MATLAB file.")
    train: Variables = Field(description="Training examples.")
    validation: Variables = Field(description="Validation examples.")
    test: Variables = Field(description="Test examples.")
    column_major: list[Count] = Field(
        min_length=2, max_length=2, description="Height and width of the images, which are stored column by column."
    )


class DigitsOptions(Section):
    """Options of the reader `digits`: the 8 x 8 digits of scikit-learn."""

    threshold: Annotated[int, Field(ge=1, le=16)] = Field(description="Grey levels of at least this value become 1.")
    validation: Count = Field(description="Validation examples.")
    test: Count = Field(description="Test examples.")


class ToyOptions(Section):
    """Options of the reader `toy`: data drawn as by Hult et al. (2019)."""

    modes: Annotated[int, Field(ge=2)] = Field(description="Number of modes, a power of two.")
    copies: Count = Field(description="Visible units that repeat each bit of the code of a mode.")
    samples: Splits = Field(description="Examples of each mode.")
    odds: list[Count] | None = Field(
        None, description="Odds of each mode, in the order of their codes from all ones down. Equal by default."
    )
    flip: Annotated[float, Field(ge=0, lt=1)] = Field(description="Probability that a bit is flipped.")
    seed: Seed = Field(description="Seed of the draws.")


class KnownOptions(Section):
    """Options of the reader `known`: exact draws from an RBM whose log Z is known."""

    family: Name = Field(description="Family of RBMs (docs/known.md).")
    seed: Seed = Field(description="Seed of the RBM and of the draws.")
    options: Options = Field(description="Options of the family.")
    samples: Splits = Field(description="Examples of each split.")

    @model_validator(mode="after")
    def _known_family(self):
        check_known([self.family], FAMILIES, "family")
        for key in ("name", "seed"):
            if key in self.options:
                raise WrongSetting(f"unknown name {key!r}; the workflow sets it", "options")
        return self


class _Dataset(Section):
    title: Line = Field(description='Title. Contains "own split" if the split is not the benchmark\'s.')
    comment: Line | None = Field(None, description="Remark on polarity, order or origin.")
    source: Name = Field(description="Name of the source.")
    splits: Splits = Field(description="Examples of each split, checked against the data.")
    visible: Count = Field(description="Visible units, label units included.")
    label_units: Annotated[int, Field(ge=2)] | None = Field(
        None, description="Number of label units, which come last: labels 0 to label_units - 1 as a one-hot vector."
    )
    values: Literal["binary", "grey"] = Field(description="Zeros and ones, or numbers from 0 to 1.")
    array_sha256: Sha256 | None = Field(
        None, description="SHA-256 of the uint8 array in C order: training, validation, test examples."
    )


OPTIONS = {
    "idx": IdxOptions,
    "text": TextOptions,
    "libsvm": LibsvmOptions,
    "matlab": MatlabOptions,
    "digits": DigitsOptions,
    "toy": ToyOptions,
    "known": KnownOptions,
}


def raw_files_of(options: Section) -> list[str]:
    """The names of raw files in the options of a reader."""
    if isinstance(options, IdxOptions):
        return [name for images in (options.train, options.test) for name in (images.images, images.labels)]
    if isinstance(options, MatlabOptions):
        return [options.file]
    if isinstance(options, _FilesOrSplit):
        return [options.own_split.file] if options.own_split else [name for _, name in options.files or ()]
    return []


def _with_reader(reader: str, options: type[Section]) -> type[_Dataset]:
    """The class of the data sets of one reader."""
    fields: dict[str, Any] = {
        "reader": (Literal[reader], Field(description="Reader.")),
        "options": (options, Field(description="Options of the reader.")),
    }
    text = f"A data set of the reader `{reader}`."
    return create_model(f"{reader.capitalize()}Dataset", __base__=_Dataset, __doc__=text, **fields)


Dataset = Annotated[Union[*starmap(_with_reader, OPTIONS.items())], Field(discriminator="reader")]
