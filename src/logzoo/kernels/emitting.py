"""LLVM instructions that several kernels emit themselves."""

from llvmlite import ir


def everywhere(builder, value, lanes):
    """A vector of that many lanes which all hold `value`."""
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes))


def pointer(builder, address, kind, offset=0):
    """A pointer of a kind to the address that many bytes after another."""
    if offset:
        address = builder.add(address, ir.Constant(address.type, offset))
    return builder.inttoptr(address, kind.as_pointer())


def load(builder, address, kind, align, offset=0):
    """What is at the address that many bytes after another."""
    return builder.load(pointer(builder, address, kind, offset), align=align)
