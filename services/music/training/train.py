"""Trains the network that finds beats.

python train.py FEATURES_FOLDER OUT.pt --minutes 60

One piece in 25 is left out, to measure the loss by.
"""

import argparse
import json
import os
import pathlib
import random
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as functional
from torch.utils.data import DataLoader, IterableDataset

from network import FRAMES_PER_SECOND, INPUTS, BeatNetwork

# Frames of an example (20 s), and examples of a step.
FRAMES = 1760
EXAMPLES = 12
# The share of each kind of piece in training.
SHARES = {'first': 0.11, 'second': 0.23, 'third': 0.12, 'plain': 0.08, 'notes': 0.46}
# Weights of the losses of beats, downbeats and divisions in three.
LOSS_WEIGHTS = torch.tensor([1.0, 1.5, 0.05])
# Frames at the end of a piece whose window extends past it.
CUT_FRAMES = 3
BANDS, RISES, FLUX, CHROMA = slice(0, 32), slice(32, 64), slice(64, 68), slice(68, 80)


@dataclass
class Piece:
    """Inputs (a row per channel) and what is known of a piece; times in seconds."""

    kind: str
    inputs: torch.Tensor
    beats: np.ndarray
    downbeats: np.ndarray
    is_ternary: bool


def read_piece(path: pathlib.Path) -> Piece:
    truth = json.loads(path.read_text())
    rows = np.fromfile(path.with_suffix('.f16'), np.float16).reshape(-1, INPUTS)
    return Piece(
        kind=truth['kind'],
        inputs=torch.from_numpy(rows.T.copy()),
        beats=np.array(truth['beats']),
        downbeats=np.array(truth['downbeats']),
        is_ternary=truth['metre'] == '6/8' or truth['metre'].endswith('/3'),
    )


def marks(times: np.ndarray, frames: int) -> np.ndarray:
    """1 in the frames of some times, one half beside them."""
    values = np.zeros(frames, np.float32)
    for frame in np.round(times * FRAMES_PER_SECOND).astype(int):
        for at, value in ((frame - 1, 0.5), (frame, 1), (frame + 1, 0.5)):
            if 0 <= at < frames:
                values[at] = max(values[at], value)
    return values


def targets(piece: Piece, frames: int, start: float = 0, stretch: float = 1) -> torch.Tensor:
    """What the network shall answer from `start` (s) on, if time is stretched."""
    beats, downbeats = ((times - start) * stretch for times in (piece.beats, piece.downbeats))
    ternary = np.full(frames, float(piece.is_ternary), np.float32)
    return torch.from_numpy(np.stack([marks(beats, frames), marks(downbeats, frames), ternary]))


def example(piece: Piece) -> tuple[torch.Tensor, torch.Tensor]:
    """A random part of a piece, in half of all cases faster or slower, sometimes short."""
    stretch = 1.0 if random.random() < 0.5 else random.uniform(0.87, 1.15)
    length = FRAMES if random.random() < 0.88 else random.randint(300, 1200)
    needed = int(length / stretch) + 4
    start = random.randrange(max(1, piece.inputs.shape[1] - needed))
    inputs = piece.inputs[:, start : start + needed].float()
    if stretch != 1:
        inputs = functional.interpolate(inputs[None], size=int(inputs.shape[1] * stretch), mode='linear')[0]
    inputs = inputs[:, :length].clone()
    wanted = targets(piece, inputs.shape[1], start / FRAMES_PER_SECOND, stretch)
    missing = FRAMES - inputs.shape[1]
    return functional.pad(vary(inputs), (0, missing)), functional.pad(wanted, (0, missing))


def replace_levels(inputs: torch.Tensor, levels: torch.Tensor) -> None:
    """Replaces the levels, and what begins accordingly, but for the last frames, which may be those of a piece."""
    rises = torch.zeros_like(levels)
    rises[:, 2:] = 5 * (levels[:, 2:] - levels[:, :-2]).clamp(min=0)
    rises[:, -CUT_FRAMES:] = inputs[RISES, -CUT_FRAMES:]
    inputs[FLUX] *= (rises.sum(0) / inputs[RISES].sum(0).clamp(min=1e-6)).clamp(max=1).sqrt()
    inputs[BANDS], inputs[RISES] = levels, rises


def vary_room(inputs: torch.Tensor) -> None:
    """Sometimes adds what a recording has: reverberation (0.35 to 2 s until a sound is inaudible), and noise."""
    if random.random() < 0.25:
        decay = random.uniform(0.35, 2) / 70 * torch.arange(inputs.shape[1])
        replace_levels(inputs, torch.cummax(inputs[BANDS] + decay, 1).values - decay)
    if random.random() < 0.15:
        noise = random.uniform(0.05, 0.4) + torch.linspace(1, -1, 32)[:, None] * random.uniform(-0.05, 0.15)
        replace_levels(inputs, inputs[BANDS].clamp(min=noise.clamp(min=0)))


def vary(inputs: torch.Tensor) -> torch.Tensor:
    """Other levels, another balance of high and low, another key; sometimes some bands or the harmony are missing."""
    vary_room(inputs)
    tilt = torch.linspace(-1, 1, 32)[:, None] * random.uniform(-0.12, 0.12)
    inputs[BANDS] = inputs[BANDS] * random.uniform(0.75, 1.25) + tilt * (inputs[BANDS] > 0)
    inputs[RISES] *= random.uniform(0.7, 1.3)
    inputs[FLUX] *= random.uniform(0.75, 1.25)
    inputs[CHROMA] = torch.roll(inputs[CHROMA], random.randrange(12), 0)
    if random.random() < 0.2:
        count = random.randint(1, 5)
        first = random.randrange(32 - count)
        inputs[first : first + count] = 0
        inputs[32 + first : 32 + first + count] = 0
    if random.random() < 0.1:
        inputs[CHROMA] = 0
    return inputs


class Examples(IterableDataset):
    """Endless examples, of each kind of piece as many as its share."""

    def __init__(self, pieces: list[Piece]) -> None:
        kinds = {kind: [piece for piece in pieces if piece.kind == kind] for kind in SHARES}
        self.pieces = [kind for kind in kinds.values() if kind]
        self.shares = [SHARES[kind] for kind in kinds if kinds[kind]]

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        while True:
            [kind] = random.choices(self.pieces, self.shares)
            yield example(random.choice(kind))


def loss_of(output: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    losses = functional.binary_cross_entropy_with_logits(output, wanted, reduction='none')
    return (losses.mean((0, 2)) * LOSS_WEIGHTS).sum()


def validate(network: BeatNetwork, pieces: list[Piece]) -> dict[str, float]:
    """The mean loss of each kind of piece."""
    network.eval()
    losses: dict[str, list[float]] = {}
    with torch.no_grad():
        for piece in pieces:
            wanted = targets(piece, piece.inputs.shape[1])
            losses.setdefault(piece.kind, []).append(loss_of(network(piece.inputs.float()[None]), wanted[None]).item())
    return {kind: round(float(np.mean(values)), 4) for kind, values in sorted(losses.items())}


def train(learn: list[Piece], left_out: list[Piece], options: argparse.Namespace) -> None:
    network = BeatNetwork(options.channels)
    if options.start:
        network.load_state_dict(torch.load(options.start))
    # What is kept is a running mean of the weights, which is better than any of them.
    mean = BeatNetwork(options.channels)
    mean.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=2e-3)
    began = time.time()
    recent = []
    # Another process makes the examples.
    examples = DataLoader(Examples(learn), EXAMPLES, num_workers=1, prefetch_factor=16)
    for steps, (inputs, wanted) in enumerate(examples, 1):
        share = (time.time() - began) / (60 * options.minutes)
        for group in optimiser.param_groups:
            group['lr'] = options.rate * min(1, steps / 200) * max(0, 1 - share) + 1e-5
        network.train()
        with torch.autocast('cpu', torch.bfloat16):
            output = network(inputs)
        loss = loss_of(output.float(), wanted)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimiser.step()
        recent.append(loss.item())
        with torch.no_grad():
            keep = min(0.999, (1 + steps) / (10 + steps))
            for kept, value in zip(mean.parameters(), network.parameters(), strict=True):
                kept.lerp_(value, 1 - keep)
        if steps % 500 == 0 or share >= 1:
            print(
                steps,
                f'{time.time() - began:.0f} s',
                f'{np.mean(recent[-500:]):.4f}',
                validate(mean, left_out),
                flush=True,
            )
            torch.save(mean.state_dict(), options.out)
        if share >= 1:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('out')
    parser.add_argument('--minutes', type=float, required=True)
    parser.add_argument('--channels', type=int, default=32)
    parser.add_argument('--rate', type=float, default=3e-3, help='the highest learning rate; it falls to zero')
    parser.add_argument('--from', dest='start', help='a network to begin with')
    options = parser.parse_args()
    # A core is left to the process that makes the examples.
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
    random.seed(1)
    torch.manual_seed(1)
    learn, left_out = [], []
    for path in sorted(options.folder.glob('*.json')):
        (left_out if zlib.crc32(path.stem.encode()) % 25 == 0 else learn).append(read_piece(path))
    hours = sum(piece.inputs.shape[1] for piece in learn) / FRAMES_PER_SECOND / 3600
    print(f'{len(learn)} pieces of {hours:.1f} h, {len(left_out)} left out', flush=True)
    train(learn, left_out, options)


if __name__ == '__main__':
    main()
