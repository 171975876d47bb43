"""The network that finds beats.

`src/analysis/beat-network.ts` runs it, on the inputs that `src/analysis/beat-odds.ts` computes.
"""

import torch
import torch.nn.functional as functional
from torch import nn

FRAMES_PER_SECOND = 22_050 / 256
INPUTS = 80


class Block(nn.Module):
    """A residual block: a dilated convolution over five frames, and one that mixes the channels of each frame."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 5, dilation=dilation, padding=2 * dilation)
        self.mix = nn.Conv1d(channels, channels, 1)
        self.drop = nn.Dropout1d(0.1)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values + self.mix(self.drop(functional.elu(self.conv(values))))


class BeatNetwork(nn.Module):
    """Log odds of a beat, of a downbeat, and of beats in three parts, at each frame."""

    def __init__(self, channels: int, blocks: int = 9) -> None:
        super().__init__()
        self.front = nn.Conv1d(INPUTS, channels, 5, padding=2)
        self.front2 = nn.Conv1d(channels, channels, 3, padding=1)
        self.blocks = nn.ModuleList([Block(channels, 2**i) for i in range(blocks)])
        self.out = nn.Conv1d(channels, 3, 1)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        values = functional.elu(self.front(values))
        values = functional.elu(self.front2(values))
        for block in self.blocks:
            values = block(values)
        return self.out(functional.elu(values))

    def convolutions(self) -> list[nn.Conv1d]:
        """All convolutions, in the order in which they are stored."""
        return [self.front, self.front2, *(conv for block in self.blocks for conv in (block.conv, block.mix)), self.out]


def load(path: str) -> BeatNetwork:
    """Loads a trained network."""
    state = torch.load(path)
    network = BeatNetwork(state['front.bias'].shape[0])
    network.load_state_dict(state)
    return network.eval()
