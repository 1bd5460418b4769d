"""A decorator that makes numba intrinsics from LLVM code, and the instructions that these intrinsics share.

Addresses are integers of type intp, and need not be aligned.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
BIT, INT8, INT32, INT64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
# Bytes of a float32 or an int32.
BYTES = 4
# Vectors of 256 bits.
VECTOR_BYTES = 32
LINE_BYTES = 64
FLOATS, INTEGERS = ir.VectorType(FLOAT, 8), ir.VectorType(INT32, 8)


def has_wide_vectors() -> bool:
    """Whether numba compiles for vectors of 512 bits.

    The result follows from numba's setting CPU_FEATURES. If only CPU_NAME is set, the result is False. If neither is
    set, it follows from the features of this processor.
    """
    settings: Any = config
    if settings.CPU_FEATURES is not None:
        return "+avx512f" in settings.CPU_FEATURES.split(",")
    return not settings.CPU_NAME and bool(binding.get_host_cpu_features().get("avx512f"))


# Vectors have 512 bits if numba compiles for them, else 256 bits. Lanes are independent: both give the same bits.
WIDE = 2 if has_wide_vectors() else 1
WIDE_FLOATS, WIDE_INTEGERS = ir.VectorType(FLOAT, 8 * WIDE), ir.VectorType(INT32, 8 * WIDE)


def emitted(returns: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make an intrinsic from a function (builder, *values), which emits the code and may return a result.

    returns, arguments: types of numba; None stands for an argument of any type.
    """

    def decorate(emit):
        def typed(typing_context, *kinds):
            def generate(context, builder, signature, values):
                result = emit(builder, *values)
                return context.get_dummy_value() if result is None else result

            return returns(*(declared or kind for declared, kind in zip(arguments, kinds, strict=True))), generate

        # numba takes the names of the arguments from here.
        typed.__wrapped__, typed.__name__ = emit, emit.__name__
        return intrinsic(typed)

    return decorate


def constant(kind: Any, value: Any) -> ir.Value:
    """A constant of type `kind`; every lane of a vector has the same value."""
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def everywhere(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """A vector of `lanes` lanes that all hold `value`."""
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(undefined, value, constant(INT32, 0))
    return builder.shuffle_vector(first, undefined, constant(ir.VectorType(INT32, lanes), 0))


def after(builder: ir.IRBuilder, address: ir.Value, count: Any, size: int = 1) -> ir.Value:
    """The address `count * size` bytes after `address`; `count` is an int or an LLVM value."""
    if isinstance(count, int):
        return builder.add(address, ir.Constant(address.type, count * size))
    return builder.add(address, builder.mul(count, ir.Constant(address.type, size)))


def load(builder: ir.IRBuilder, address: ir.Value, kind: Any) -> ir.Value:
    """Load a value of type `kind` from an address."""
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def store(builder: ir.IRBuilder, value: ir.Value, address: ir.Value) -> None:
    """Store a value at an address."""
    builder.store(value, builder.inttoptr(address, value.type.as_pointer()), align=1)


def bytes_of(kind: Any) -> int:
    """Size of a vector type in bytes."""
    return kind.count * {FLOAT: 4, INT32: 4, DOUBLE: 8, INT64: 8}[kind.element]


def load_row(builder: ir.IRBuilder, address: ir.Value, kind: Any, count: int) -> list[ir.Value]:
    """Load `count` consecutive vectors from an address."""
    return [load(builder, after(builder, address, number, bytes_of(kind)), kind) for number in range(count)]


def lanes_of(builder: ir.IRBuilder, first: ir.Value, second: ir.Value, lanes: Sequence[int]) -> ir.Value:
    """The chosen lanes of two vectors of one type; the lanes of the second follow those of the first."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(INT32, len(lanes)), list(lanes)))


def joined(builder: ir.IRBuilder, vectors: Sequence[ir.Value]) -> ir.Value:
    """Concatenate vectors, whose number is a power of two."""
    while len(vectors) > 1:
        lanes = range(2 * vectors[0].type.count)
        vectors = [lanes_of(builder, *pair, lanes) for pair in zip(vectors[::2], vectors[1::2], strict=True)]
    return vectors[0]


def variables(builder: ir.IRBuilder, values: Iterable[ir.Value]) -> list[ir.Value]:
    """Variables with these initial values; LLVM keeps them in registers."""
    return [cgutils.alloca_once_value(builder, value) for value in values]


def update(builder: ir.IRBuilder, combine: Callable[..., Any], variable: ir.Value, value: ir.Value) -> None:
    """Replace the value of a variable by its combination with another value."""
    builder.store(combine(builder.load(variable), value), variable)


def store_row(builder: ir.IRBuilder, row: Sequence[ir.Value], address: ir.Value) -> None:
    """Store the values of variables, vectors of one type, side by side at an address."""
    for number, variable in enumerate(row):
        value = builder.load(variable)
        store(builder, value, after(builder, address, number, bytes_of(value.type)))


def call(builder: ir.IRBuilder, name: str, *vectors: ir.Value) -> ir.Value:
    """The result of LLVM's function llvm.<name> for vectors of floats of one type."""
    kind = vectors[0].type
    signature = ir.FunctionType(kind, [kind] * len(vectors))
    name = f"llvm.{name}.v{kind.count}f{32 if kind.element == FLOAT else 64}"
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), vectors)


@emitted(types.void, types.intp, types.intp)
def prefetch(builder: ir.IRBuilder, address: ir.Value, lines: ir.Value) -> None:
    """Start to load consecutive cache lines of 64 bytes into the level-2 cache."""
    pointer = INT8.as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [pointer, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    with cgutils.for_range(builder, lines) as loop:
        line = builder.inttoptr(after(builder, address, loop.index, LINE_BYTES), pointer)
        # Read, level 2, data.
        builder.call(function, [line, *(constant(INT32, number) for number in (0, 2, 1))])
