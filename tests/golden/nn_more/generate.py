"""Further cases of the area nn: options of Flax's layers that the first set leaves at their defaults.

Needs what ../nn/generate.py needs, whose runner it uses.
Usage: JAX_PLATFORMS=cpu python generate.py OUTDIR [--variant N]
"""

import argparse
import importlib.util
import pathlib

_path = pathlib.Path(__file__).parent.parent / 'nn' / 'generate.py'
_spec = importlib.util.spec_from_file_location('nn_generate', _path)
base = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(base)

import flax
import jax
import numpy as np

M, C, F, I = base.M, base.C, base.F, base.I
LOOSE = {'rtol': 0.03, 'atol': 0.03}


def linear_cases(r):
  v, x = r.v, r.x
  rn = M(I + 'normal', stddev=1.0)
  ein = lambda **k: M(F + 'Einsum', **k)
  r.module('dense/integers', M(F + 'Dense', features=3), {'0': r.rs.randint(-3, 3, (2, 4)).astype(np.int32)})
  r.module('dense/bfloat16_params', M(F + 'Dense', features=3, param_dtype=C('jax.numpy:bfloat16')), {'0': x(2, 4)}, tol=LOOSE, grad=False)
  r.module('dense/float16_input', M(F + 'Dense', features=3, dtype='float16'), {'0': x(2, 4)}, tol=LOOSE, grad=False)
  r.module('dense_general/batch_and_two', M(F + 'DenseGeneral', features=[2, 2], axis=[-1, 1], batch_dims=[0], bias_init=rn), {'0': x(2, 3, 2, 4 + v)})
  r.module('dense_general/two_batch_dims', M(F + 'DenseGeneral', features=3, batch_dims=[0, 1], use_bias=False), {'0': x(2, 2, 3, 4)})
  r.module('dense_general/negative_axes', M(F + 'DenseGeneral', features=3, axis=[-1, -3], bias_init=rn), {'0': x(2, 3, 4)})
  r.module('einsum/matrix', ein(shape=[4, 3], einsum_str='ab,bc->ac', bias_init=rn), {'0': x(2, 4)})
  r.module('einsum/dots', ein(shape=[4, 3, 2], einsum_str='...b,bcd->...cd', bias_init=rn), {'0': x(2, 3, 4)})
  r.module('einsum/heads', ein(shape=[2, 4, 3], einsum_str='bnhd,hde->bnhe', bias_init=rn), {'0': x(2, 3, 2, 4)})
  r.module('einsum/call_argument', ein(shape=[4, 3], use_bias=False), {'0': x(2, 4)}, call={'einsum_str': 'ab, bc -> ca'})


def conv_cases(r):
  v, x = r.v, r.x
  rn = M(I + 'normal', stddev=1.0)
  conv = lambda f=4, **k: M(F + 'Conv', features=f, bias_init=rn, **k)
  im = (2, 5, 6 + v, 2)
  r.module('conv/same_lower', conv(kernel_size=[2, 4], padding='SAME_LOWER'), {'0': x(*im)})
  r.module('conv/lower_case', conv(kernel_size=[3, 3], padding='valid', strides=[1, 2]), {'0': x(*im)})
  r.module('conv/reflect_strided_dilated', conv(kernel_size=[4, 3], padding='REFLECT', strides=[2, 1], kernel_dilation=[1, 2]), {'0': x(*im)})
  r.module('conv/circular_even', conv(kernel_size=[4, 2], padding='CIRCULAR'), {'0': x(*im)})
  r.module('conv/circular_wide', conv(kernel_size=[9], padding='CIRCULAR'), {'0': x(2, 3, 2)})
  r.module('conv/reflect_wide', conv(kernel_size=[9], padding='REFLECT'), {'0': x(2, 3, 2)})
  r.module('conv/mixed_padding', conv(kernel_size=[3, 3], padding=[1, [0, 2]]), {'0': x(*im)})
  r.module('conv/negative_padding', conv(kernel_size=[2, 2], padding=[[-1, 1], [1, -2]]), {'0': x(*im)})
  r.module('conv/input_dilation_strides', conv(kernel_size=[3, 2], input_dilation=[2, 3], strides=[2, 1], padding=[[2, 1], [0, 3]]), {'0': x(*im)})
  r.module('conv/input_dilation_groups', conv(kernel_size=[3, 3], input_dilation=2, feature_group_count=2, padding=[[1, 2], [2, 2]], kernel_dilation=[1, 2]), {'0': x(*im)})
  r.module('conv/input_dilation_wide_padding', conv(kernel_size=[2, 2], input_dilation=[2, 1], padding=[[4, 0], [0, 5]]), {'0': x(*im)})
  r.module('conv/groups_strides_1d', conv(6, kernel_size=3, strides=2, feature_group_count=2), {'0': x(2, 7, 4)})
  r.module('conv/same_strides_dilated', conv(kernel_size=[3, 3], strides=[3, 2], kernel_dilation=2), {'0': x(1, 7, 8, 2)})
  r.module('conv/unit_window', conv(kernel_size=[1, 1]), {'0': x(*im)})
  r.module('conv/none_settings', conv(kernel_size=[3, 3], strides=None, input_dilation=None, kernel_dilation=None), {'0': x(*im)})
  r.module('conv/3d_strides', M(F + 'Conv', features=2, kernel_size=[2, 3, 2], strides=[1, 2, 2], padding='VALID'), {'0': x(2, 3, 5, 4, 2)})
  r.module('conv/bfloat16', M(F + 'Conv', features=3, kernel_size=[3, 3], dtype=C('jax.numpy:bfloat16')), {'0': x(*im)}, tol=LOOSE, grad=False)
  local = lambda **k: M(F + 'ConvLocal', features=3, bias_init=rn, **k)
  r.module('conv_local/strides', local(kernel_size=[3, 2], strides=[2, 1], padding='VALID'), {'0': x(2, 5, 4, 2)})
  r.module('conv_local/dilated', local(kernel_size=[2, 2], kernel_dilation=[2, 1], padding=[[1, 0], [0, 1]]), {'0': x(2, 4, 3, 2)})
  r.module('conv_local/input_dilation', local(kernel_size=[2], input_dilation=[2], padding=[[1, 1]]), {'0': x(2, 4, 2)})
  r.module('conv_local/circular', local(kernel_size=[3], padding='CIRCULAR'), {'0': x(2, 4, 2)})
  r.module('conv_local/causal', local(kernel_size=[3], padding='CAUSAL', use_bias=False), {'0': x(3, 4, 2)})
  ct = lambda **k: M(F + 'ConvTranspose', features=3, bias_init=rn, **k)
  im = (2, 3, 4 + v, 2)
  r.module('conv_transpose/explicit', ct(kernel_size=[3, 3], strides=[2, 2], padding=[[1, 2], [0, 1]]), {'0': x(*im)})
  r.module('conv_transpose/wide_padding', ct(kernel_size=[2, 2], strides=[2, 1], padding=[[4, 0], [0, 3]]), {'0': x(*im)})
  r.module('conv_transpose/int', ct(kernel_size=[3, 3], strides=[2, 2], padding=1), {'0': x(*im)})
  r.module('conv_transpose/dilated', ct(kernel_size=[3, 2], strides=[2, 2], kernel_dilation=[2, 1]), {'0': x(*im)})
  r.module('conv_transpose/wide_stride', ct(kernel_size=[2, 2], strides=[3, 4]), {'0': x(*im)})
  r.module('conv_transpose/valid_wide_stride', ct(kernel_size=[2, 3], strides=[3, 2], padding='VALID', use_bias=False), {'0': x(*im)})
  r.module('conv_transpose/circular_even', ct(kernel_size=[4, 2], strides=[2, 1], padding='CIRCULAR'), {'0': x(*im)})
  r.module('conv_transpose/circular_transpose_kernel', ct(kernel_size=[4, 3], strides=[2, 2], padding='CIRCULAR', transpose_kernel=True), {'0': x(*im)})
  r.module('conv_transpose/unbatched', ct(kernel_size=[3], strides=[2]), {'0': x(5, 2)})
  r.module('conv_transpose/3d', M(F + 'ConvTranspose', features=2, kernel_size=[2, 2, 2], strides=[2, 1, 2]), {'0': x(1, 2, 3, 2, 2)})


def norm_cases(r):
  x = r.x
  rn = M(I + 'normal', stddev=1.0)
  mask = lambda *s: r.rs.rand(*s) > 0.3
  both = dict(scale_init=rn, bias_init=rn)
  some = mask(2, 3, 6)
  some[..., 0] = True
  r.module('layer_norm/mask', M(F + 'LayerNorm', **both), {'0': x(2, 3, 6), 'mask': some})
  r.module('layer_norm/mask_slow', M(F + 'LayerNorm', use_fast_variance=False, **both), {'0': x(2, 3, 6), 'mask': some})
  r.module('layer_norm/inner_axis', M(F + 'LayerNorm', reduction_axes=1, feature_axes=-1, **both), {'0': x(2, 5, 3)})
  r.module('layer_norm/other_features', M(F + 'LayerNorm', reduction_axes=[-1], feature_axes=[1], **both), {'0': x(2, 3, 6)})
  r.module('layer_norm/bfloat16', M(F + 'LayerNorm', dtype=C('jax.numpy:bfloat16')), {'0': x(2, 3, 6)}, tol=LOOSE, grad=False)
  r.module('layer_norm/one_feature', M(F + 'LayerNorm'), {'0': x(2, 3, 1)})
  r.module('rms_norm/axes', M(F + 'RMSNorm', reduction_axes=[1, 2], feature_axes=[1, 2], scale_init=rn), {'0': x(2, 3, 6)})
  r.module('rms_norm/no_scale', M(F + 'RMSNorm', use_scale=False), {'0': x(3, 6)})
  r.module('rms_norm/mask', M(F + 'RMSNorm', scale_init=rn), {'0': x(2, 3, 6), 'mask': some})
  r.module('group_norm/axes', M(F + 'GroupNorm', num_groups=2, reduction_axes=[-1], **both), {'0': x(2, 3, 4)})
  r.module('group_norm/mask', M(F + 'GroupNorm', num_groups=2, **both), {'0': x(2, 3, 6), 'mask': some})
  r.module('group_norm/vectors', M(F + 'GroupNorm', num_groups=3, **both), {'0': x(4, 6)})
  r.module('group_norm/volume', M(F + 'GroupNorm', num_groups=2, use_bias=False, scale_init=rn), {'0': x(2, 2, 3, 2, 4)})
  r.module('instance_norm/features', M(F + 'InstanceNorm', feature_axes=[1, -1], **both), {'0': x(2, 3, 4, 2)})
  r.module('instance_norm/mask', M(F + 'InstanceNorm', **both), {'0': x(2, 4, 3), 'mask': np.ones((2, 4, 3), bool) & (r.rs.rand(2, 4, 1) > 0.2)})
  r.module('batch_norm/axis', M(F + 'BatchNorm', use_running_average=False, axis=1, **both), {'0': x(4, 3, 5)}, mutable=['batch_stats'])
  r.module('batch_norm/mask', M(F + 'BatchNorm', use_running_average=False, momentum=0.5, **both), {'0': x(6, 3), 'mask': np.array([[1], [1], [0], [1], [1], [0]], bool)}, mutable=['batch_stats'])
  r.module('batch_norm/no_affine', M(F + 'BatchNorm', use_running_average=False, use_scale=False, use_bias=False), {'0': x(6, 3)}, mutable=['batch_stats'])
  r.module('batch_norm/slow', M(F + 'BatchNorm', use_running_average=False, use_fast_variance=False, momentum=0.6), {'0': x(6, 3) + 3}, mutable=['batch_stats'])
  r.module('batch_norm/scale_only', M(F + 'BatchNorm', use_running_average=True, use_bias=False, scale_init=rn), {'0': x(6, 3)})


def attention_cases(r):
  v, x = r.v, r.x
  rn = M(I + 'normal', stddev=1.0)
  mha = lambda **k: M(F + 'MultiHeadDotProductAttention', num_heads=2, **k)
  q = (2, 3, 4)
  mask = r.rs.rand(2, 2, 3, 3) > 0.5
  r.module('attention/blind_query', mha(), {'0': x(*q), 'mask': mask & (np.arange(3)[:, None] > 0)}, note='The first query sees no key: equal weights, no gradient through them.')
  r.module('attention/float_mask', mha(), {'0': x(*q), 'mask': np.tril(np.ones((2, 1, 3, 3), np.float32))})
  r.module('attention/shared_mask', mha(), {'0': x(*q), 'mask': np.tril(np.ones((1, 1, 3, 3), bool))})
  r.module('attention/inputs_kv', mha(), {'0': x(*q), 'inputs_kv': x(2, 5, 3)})
  r.module('attention/out_inits', mha(out_kernel_init=rn, out_bias_init=M(I + 'ones_init'), kernel_init=M(I + 'xavier_uniform')), {'0': x(*q)})
  r.module('attention/sow_weights', mha(), {'0': x(*q)}, call={'sow_weights': True}, interms=True)
  r.module('attention/sow_weights_dropout', mha(dropout_rate=0.4, deterministic=False), {'0': x(*q)}, call={'sow_weights': True}, interms=True, rngs={'dropout': 3 + v})
  r.module('attention/bfloat16', mha(dtype=C('jax.numpy:bfloat16')), {'0': x(*q)}, tol=LOOSE, grad=False)
  r.module('attention/bfloat16_softmax_float32', mha(dtype=C('jax.numpy:bfloat16'), force_fp32_for_softmax=True), {'0': x(*q)}, tol=LOOSE, grad=False)
  r.module('attention/no_batch', mha(), {'0': x(3, 4)})
  r.module('attention/two_batch_dims_mask', mha(), {'0': x(2, 2, 3, 4), 'mask': r.rs.rand(2, 2, 1, 3, 3) > 0.3})
  r.module('attention/self_attention_interms', M(F + 'SelfAttention', num_heads=2, qkv_features=8), {'0': x(*q)}, interms=True)


def recurrent_cases(r):
  v, x = r.v, r.x
  f = 3 + v
  rn = M(I + 'normal', stddev=1.0)
  rnn = lambda cell, **k: M(F + 'RNN', cell=cell, **k)
  gru, lstm = M(F + 'GRUCell', features=f, bias_init=rn), M(F + 'OptimizedLSTMCell', features=f, bias_init=rn)
  s = (2, 4, 3)
  lengths = np.array([2, 4], np.int32)
  r.module('rnn/reverse', rnn(gru, reverse=True), {'0': x(*s)})
  r.module('rnn/reverse_keep_order', rnn(lstm, reverse=True, keep_order=True), {'0': x(*s)})
  r.module('rnn/reverse_lengths', rnn(gru, reverse=True, keep_order=True), {'0': x(*s), 'seq_lengths': lengths})
  r.module('rnn/return_carry', rnn(lstm, return_carry=True), {'0': x(*s)})
  r.module('rnn/return_carry_lengths', rnn(lstm), {'0': x(*s), 'seq_lengths': lengths}, call={'return_carry': True})
  r.module('rnn/time_major', rnn(gru, time_major=True, return_carry=True), {'0': x(4, 2, 3)})
  r.module('rnn/two_batch_dims', rnn(gru), {'0': x(2, 2, 4, 3)})
  r.module('rnn/residual', rnn(M(F + 'SimpleCell', features=3, residual=True, activation_fn=C(F + 'relu'))), {'0': x(*s)})
  r.module('rnn/no_reset_gate', rnn(M(F + 'MGUCell', features=f, reset_gate=False)), {'0': x(*s)})
  r.module('rnn/other_functions', rnn(M(F + 'LSTMCell', features=f, gate_fn=C(F + 'hard_sigmoid'), activation_fn=C(F + 'relu'), recurrent_kernel_init=rn)), {'0': x(*s)})
  r.module('rnn/carry_init', rnn(M(F + 'LSTMCell', features=f, carry_init=rn)), {'0': x(*s)})
  both = M(F + 'Bidirectional', forward_rnn=rnn(gru), backward_rnn=rnn(lstm))
  r.module('rnn/bidirectional', both, {'0': x(*s)})
  r.module('rnn/bidirectional_lengths', both, {'0': x(*s), 'seq_lengths': lengths}, call={'return_carry': True})


def other_cases(r):
  x = r.x
  r.module('embed/bfloat16', M(F + 'Embed', num_embeddings=4, features=3, dtype=C('jax.numpy:bfloat16')), {'0': np.array([[0, 3], [2, 2]], np.int32)}, tol=LOOSE, grad=False)
  r.module('embed/bytes', M(F + 'Embed', num_embeddings=4, features=3), {'0': np.array([0, 3, 1], np.uint8)})
  r.module('dropout/broadcast_two', M(F + 'Dropout', rate=0.5, broadcast_dims=[0, -1], deterministic=False), {'0': x(3, 4, 2)}, rngs={'dropout': 4 + r.v}, tol={'rtol': 1e-6, 'atol': 0.0})
  r.module('activation/prelu_steep', M(F + 'PReLU', negative_slope_init=0.3), {'0': x(3, 4)})
  im = x(2, 5, 4, 3)
  nn = base.nn
  for tag, kw in (('3x2_s2_same', dict(window_shape=(3, 2), strides=(2, 2), padding='SAME')), ('2x2', dict(window_shape=(2, 2))), ('pad', dict(window_shape=(2, 3), padding=((0, 1), (2, 0))))):
    js = {k: [list(p) for p in a] if k == 'padding' and not isinstance(a, str) else (list(a) if isinstance(a, tuple) else a) for k, a in kw.items()}
    r.fn(f'pool/min_{tag}', 'flax.linen.min_pool', lambda x, kw=kw: nn.min_pool(x, **kw), {'x': im}, js, grad=True)
  vol = x(1, 3, 4, 3, 2)
  r.fn('pool/max_3d', 'flax.linen.max_pool', lambda x: nn.max_pool(x, (2, 2, 2), (1, 2, 1)), {'x': vol}, {'window_shape': [2, 2, 2], 'strides': [1, 2, 1]}, grad=True)
  r.fn('pool/avg_3d_same', 'flax.linen.avg_pool', lambda x: nn.avg_pool(x, (2, 3, 2), (2, 1, 1), 'SAME', False), {'x': vol}, {'window_shape': [2, 3, 2], 'strides': [2, 1, 1], 'padding': 'SAME', 'count_include_pad': False}, grad=True)
  r.fn('pool/unbatched', 'flax.linen.max_pool', lambda x: nn.max_pool(x, (2, 2)), {'x': x(4, 3, 2)}, {'window_shape': [2, 2]}, grad=True)
  r.fn('pool/two_batch_dims', 'flax.linen.avg_pool', lambda x: nn.avg_pool(x, (2,), (2,), 'SAME'), {'x': x(2, 2, 5, 3)}, {'window_shape': [2], 'strides': [2], 'padding': 'SAME'}, grad=True)
  r.module('sequential/nested', M(F + 'Sequential', layers=[M(F + 'Sequential', layers=[M(F + 'Dense', features=3), C(F + 'tanh')]), C('jax.nn:gelu'), M(F + 'Dense', features=2)]), {'0': x(2, 4)}, interms=True)


def main():
  ap = argparse.ArgumentParser()
  ap.add_argument('outdir')
  ap.add_argument('--variant', type=int, default=0)
  a = ap.parse_args()
  w = base.Writer()
  r = base.Runner(w, np.random.RandomState(901 + a.variant), a.variant)
  r.seed = 5000 + 100 * a.variant
  for cases in (linear_cases, conv_cases, norm_cases, attention_cases, recurrent_cases, other_cases):
    cases(r)
  w.save(a.outdir, {'versions': {'jax': jax.__version__, 'flax': flax.__version__}, 'variant': a.variant})


if __name__ == '__main__':
  main()
