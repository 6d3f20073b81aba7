"""The log likelihood with all effects integrated out, as an operation in PyTensor."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import generate_fallback_impl, numba_funcify

from .._core.arrays import FloatArray
from .gradient import LogLikelihood
from .reduction import Collapsed


class CollapsedLikelihood(Op):  # type: ignore[misc]
    """Map a vector of parameters to the log likelihood and its gradient.

    Parameters are log sds and inverse hyperbolic tangents of partial correlations.
    """

    def __init__(self, posterior: Collapsed) -> None:
        self.likelihood = LogLikelihood(posterior)

    def make_node(self, parameters: Variable) -> Apply:
        """Return the node that applies this operation."""
        return Apply(self, [pt.as_tensor_variable(parameters)], [pt.dscalar(), pt.dvector()])

    def perform(
        self, node: Apply, inputs: list[FloatArray], output_storage: list[list[FloatArray]]
    ) -> None:
        """Compute the log likelihood and its gradient."""
        value, gradient = self.likelihood(np.asarray(inputs[0]))
        output_storage[0][0] = np.array(value)
        output_storage[1][0] = gradient

    def pullback(
        self, inputs: list[Variable], outputs: list[Variable], cotangents: list[Variable]
    ) -> list[Variable]:
        """Return the derivative for the parameters, in one call for value and gradient."""
        return [cotangents[0] * outputs[1]]


@numba_funcify.register(CollapsedLikelihood)  # type: ignore[untyped-decorator]
def _call_python(op: CollapsedLikelihood, node: Apply, **options: object) -> Callable[..., object]:
    """Call `perform` from compiled code, as for any operation, but without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found: Callable[..., object] = generate_fallback_impl(op, node, **options)
    return found
