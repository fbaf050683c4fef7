"""A helper that real code and configs share."""

from flax import linen as nn
import jax
import jax.numpy as jnp

WIDTH = 96


class Model(nn.Module):
  width: int = WIDTH

  @nn.compact
  def __call__(self, x: jax.Array) -> jax.Array:
    return nn.Dense(self.width)(jnp.asarray(x))
