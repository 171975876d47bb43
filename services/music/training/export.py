"""Writes the weights of a trained network as `src/analysis/beat-network-weights.ts`, in 8 bits.

python export.py NETWORK.pt
"""

import base64
import pathlib
import sys

import numpy as np

from network import load

network = load(sys.argv[1])
codes, numbers = [], []
for conv in network.convolutions():
    weights = conv.weight.detach().numpy()
    largest = np.maximum(np.abs(weights).reshape(len(weights), -1).max(1), 1e-12)
    scales = largest / 127
    codes.append(np.round(weights / scales[:, None, None]).astype(np.int8).ravel())
    numbers += [conv.bias.detach().numpy(), scales]


def text(arrays: list[np.ndarray], dtype: str) -> str:
    """The bytes of some arrays in base64."""
    return base64.b64encode(np.concatenate(arrays).astype(dtype).tobytes()).decode()


target = pathlib.Path(__file__).parent.parent / 'src/analysis/beat-network-weights.ts'
target.write_text(f"""/**
 * Weights of the network of `beat-network.ts` in 8 bits, and a bias and a scale per output (base64), from
 * `training/export.py`.
 */
export const beatNetworkWeights = {{
  channels: {network.front.bias.shape[0]},
  blocks: {len(network.blocks)},
  weights:
    '{text(codes, 'i1')}',
  scales:
    '{text(numbers, '<f4')}',
}} as const
""")
