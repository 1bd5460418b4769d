"""Unnormalised log-probabilities of visible states with the hidden units summed out, along a tempered path.

Legend, as in `gibbs`: a = b + v W (H,); log f_beta(v) = beta c.v + (1 - beta) c0.v + sum_j softplus(beta a_j).

With x = beta a_j, softplus(x) = max(x, 0) + log(1 + exp(-|x|)). The sum of the maxima is proportional to beta. The
sum of the other terms is the smooth part, which takes products of factors in (1, 2] and few logarithms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import LOG2_E, LOG_2, ZERO, emit_exp2_nonpositive, softplus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


_LANES = llvm.FLOATS.count
# Number of units whose factors, at most 2 each, are multiplied before one logarithm is taken. Products reach at most
# 2**64 in a float32 lane and 2**512 in float64.
_UNITS_PER_LOG = 512
# Number of inverse temperatures at which the smooth part is computed in one pass.
BETAS_TOGETHER = 4
# |a| of padding units: 1 + exp(-beta |a|) is 1 in float32 for every beta above 1e-28.
_ABSENT = np.float32(1e30)


class EnergyScratch(NamedTuple):
    """Scratch of the functions below."""

    magnitudes: np.ndarray  # (H rounded up to vectors,) float32: |a|
    scales: np.ndarray  # (BETAS_TOGETHER,) float32
    products: np.ndarray  # (BETAS_TOGETHER,) float64
    betas: np.ndarray  # (2,) float32
    smooth: np.ndarray  # (2,) float64: smooth parts at these betas


@njit(inline="always")
def energy_scratch(units: int) -> EnergyScratch:
    """Scratch for a layer of `units` hidden units."""
    magnitudes = np.empty(-(-units // _LANES) * _LANES, np.float32)
    magnitudes[:] = _ABSENT
    several = np.empty(BETAS_TOGETHER, np.float32), np.empty(BETAS_TOGETHER)
    return EnergyScratch(magnitudes, *several, np.empty(2, np.float32), np.empty(2))


@part
def load_magnitudes(hidden_input: Array, units: int, unit: np.float32, scratch: EnergyScratch) -> float:
    """Load |a| of one chain's `units` integer inputs into the scratch; returns sum_j max(a_j, 0)."""
    magnitudes = scratch.magnitudes
    for j in range(units):
        magnitudes[j] = abs(np.float32(hidden_input[j])) * unit
    total = np.int64(0)
    for j in range(units):
        total += np.int64(max(hidden_input[j], np.int32(0)))
    return float(total) * np.float64(unit)


def _store_products(builder: ir.IRBuilder, products: Sequence[ir.Value], target: ir.Value) -> None:
    """Store the product of each eight lanes of the vectors, as float64, in the array at an address."""
    number = 0
    for product in products:
        vector = builder.load(product)
        for start in range(0, vector.type.count, _LANES):
            lanes = _LANES
            eight = llvm.lanes_of(builder, vector, vector, range(start, start + lanes))
            left = builder.fpext(eight, ir.VectorType(llvm.DOUBLE, lanes))
            while lanes > 1:
                lanes //= 2
                halves = (range(first, first + lanes) for first in (0, lanes))
                left = builder.fmul(*(llvm.lanes_of(builder, left, left, half) for half in halves))
            value = builder.extract_element(left, llvm.constant(llvm.INT32, 0))
            llvm.store(builder, value, llvm.after(builder, target, number, 8))
            number += 1


def _products(betas):
    """An intrinsic that stores prod_j (1 + 2**(scale |a_j|)), as float64, for a number `betas` of scales.

    Arguments are addresses, except the number of vectors of magnitudes. Scales are float32 and at most 0. Products stay
    in registers, and magnitudes are read once. A wide vector has eight lanes for each of two scales.
    """
    together = llvm.WIDE if betas > 1 else 1

    @llvm.emitted(types.void, *[types.intp] * 4)
    def emit(builder, magnitudes, vectors, scales, target):
        addresses = (llvm.after(builder, scales, number, llvm.BYTES) for number in range(betas))
        eights = [llvm.everywhere(builder, llvm.load(builder, address, llvm.FLOAT), _LANES) for address in addresses]
        factors = [llvm.joined(builder, eights[first : first + together]) for first in range(0, betas, together)]
        unity = llvm.constant(factors[0].type, 1.0)
        products = llvm.variables(builder, [unity] * len(factors))
        with cgutils.for_range(builder, vectors) as loop:
            size = llvm.load(builder, llvm.after(builder, magnitudes, loop.index, llvm.VECTOR_BYTES), llvm.FLOATS)
            size = llvm.joined(builder, [size] * together)
            for scale, product in zip(factors, products, strict=True):
                factor = builder.fadd(unity, emit_exp2_nonpositive(builder, builder.fmul(scale, size), fused=True))
                llvm.update(builder, builder.fmul, product, factor)
        _store_products(builder, products, target)

    return emit


_products_of_one, _products_of_two = _products(1), _products(2)
_products_together = _products(BETAS_TOGETHER)


@part
def smooth_parts(units: int, betas: Array, scratch: EnergyScratch, out: Array) -> None:
    """out (betas,) float64 = sum_j log(1 + exp(-beta |a_j|)) over the magnitudes loaded for `units` units.

    betas: float32 in [0, 1].
    """
    magnitudes, scales, products = scratch.magnitudes, scratch.scales, scratch.products
    out[:] = 0.0
    for start in range(0, magnitudes.size, _UNITS_PER_LOG):
        vectors = min(magnitudes.size - start, _UNITS_PER_LOG) // _LANES
        first = magnitudes.ctypes.data + start * llvm.BYTES
        k = 1 if betas[0] == ZERO else 0
        while k < betas.size:
            left = betas.size - k
            count = BETAS_TOGETHER if left >= BETAS_TOGETHER else min(left, 2)
            for m in range(count):
                scales[m] = -betas[k + m] * LOG2_E
            if count == 1:
                _products_of_one(first, vectors, scales.ctypes.data, products.ctypes.data)
            elif count == 2:
                _products_of_two(first, vectors, scales.ctypes.data, products.ctypes.data)
            else:
                _products_together(first, vectors, scales.ctypes.data, products.ctypes.data)
            for m in range(count):
                out[k + m] += math.log(products[m])
            k += count
    for k in range(betas.size):
        # At beta = 0 the padding units would contribute log(2) each.
        if betas[k] == ZERO:
            out[k] = units * LOG_2


@part
def sum_bits(state: Array, integers: Array) -> np.int64:
    """The sum of the entries of `integers` where `state` (units,) is one."""
    total = np.int64(0)
    for unit in range(state.size):
        total += np.int64(integers[unit]) * np.int64(state[unit])
    return total


@part
def sum_biases(parameters: Parameters, v: Array) -> tuple[int, int]:
    """Sums of the visible bias and of the base where v (V,) is one. If both are the same array, it is summed once."""
    model = sum_bits(v, parameters.visible_bias)
    if parameters.base.ctypes.data == parameters.visible_bias.ctypes.data:
        return model, model
    return model, sum_bits(v, parameters.base)


@kernel
def log_z_of_base(parameters: Parameters, visible: int, hidden: int) -> float:
    """log Z in nats of independent units: `visible` units with the base's log-odds and `hidden` units without bias."""
    total, unit = hidden * LOG_2, np.float64(parameters.unit)
    for i in range(visible):
        total += softplus(float(parameters.base[i]) * unit)
    return total


@part
def _linear_parts(parameters: Parameters, chains: Chains, chain: int, scratch: EnergyScratch) -> tuple[float, float]:
    """The factors of beta and of 1 - beta in log f_beta(v) of one chain, in nats; loads its |a| into the scratch."""
    unit = np.float64(parameters.unit)
    warm = load_magnitudes(chains.hidden_input[chain], chains.h.shape[1], parameters.unit, scratch)
    model, base = sum_biases(parameters, chains.v[chain])
    return warm + float(model) * unit, float(base) * unit


@part
def _log_f_of_chain(
    parameters: Parameters, betas: Array, chains: Chains, chain: int, scratch: EnergyScratch, out: Array
) -> None:
    """Set out (rung,) to log f_beta(v) of one chain at all betas (rung,) float32, in nats."""
    warm, cold = _linear_parts(parameters, chains, chain, scratch)
    smooth_parts(chains.h.shape[1], betas, scratch, out)
    for k in range(betas.size):
        share = np.float64(betas[k])
        out[k] += share * warm + (1.0 - share) * cold


@kernel
def log_f_tempered(parameters: Parameters, beta: Array, chains: Chains, out: Array) -> None:
    """Set out (chains,) to log f_beta(v), in nats, of every chain at its beta (chains,) float32."""
    scratch = energy_scratch(chains.h.shape[1])
    for chain in range(out.size):
        _log_f_of_chain(parameters, beta[chain : chain + 1], chains, chain, scratch, out[chain : chain + 1])


@part
def log_f_at_betas(parameters: Parameters, betas: Array, chains: Chains, scratch: EnergyScratch, out: Array) -> None:
    """Set out (chain, rung) to log f_beta(v), in nats, of every chain at all betas (rung,) float32."""
    for chain in range(out.shape[0]):
        _log_f_of_chain(parameters, betas, chains, chain, scratch, out[chain])


@part
def log_f_joint_at_betas(parameters: Parameters, betas: Array, chains: Chains, out: Array) -> None:
    """Set out (chain, rung) to log f_beta(v, h), in nats, of every chain at all betas (rung,).

    Visible inputs must be up to date with h, as after a sweep.
    """
    unit = np.float64(parameters.unit)
    for chain in range(out.shape[0]):
        v = chains.v[chain]
        warm = sum_bits(v, chains.visible_input[chain]) + sum_bits(chains.h[chain], parameters.hidden_bias)
        cold = sum_bits(v, parameters.base)
        for k in range(betas.size):
            share = np.float64(betas[k])
            out[chain, k] = share * (float(warm) * unit) + (1.0 - share) * (float(cold) * unit)


@kernel
def smooth_parts_of_chains(parameters: Parameters, chains: Chains, betas: Array, out: Array) -> None:
    """Write `smooth_parts` of every chain into `out` (chains, betas)."""
    units = chains.h.shape[1]
    scratch = energy_scratch(units)
    for chain in range(out.shape[0]):
        load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
        smooth_parts(units, betas, scratch, out[chain])
