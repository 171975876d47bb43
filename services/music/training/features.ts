import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listen } from '../src/analysis/analyse.ts'
import { networkInputs } from '../src/analysis/beat-network.ts'
import { inputsOf } from '../src/analysis/beat-odds.ts'
import { padding } from '../src/analysis/convolution.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { monoOf } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { decodeAll } from '../test/audio-files.ts'
import { type Truth, trainingPieces } from './pieces.ts'

/**
 * Writes what the network reads of pieces to learn from: NAME.f16 (16-bit floats, a row of inputs per frame) and NAME.json (the truth).
 *
 *   node services/music/training/features.ts FOLDER pieces SEED COUNT   pieces of our generators
 *   node services/music/training/features.ts FOLDER files FOLDER        each NAME.wav with its NAME.json
 */

const store = async (folder: string, name: string, samples: Float32Array, truth: Truth): Promise<void> => {
  const measured = listen(samples)
  const { frames } = measured.spectral
  const inputs = inputsOf(measured, 0, frames)
  const rows = new Float16Array(frames * networkInputs)
  for (const [channel, values] of inputs.entries())
    for (let frame = 0; frame < frames; frame++) rows[frame * networkInputs + channel] = values[padding + frame] ?? 0
  await writeFile(join(folder, `${name}.f16`), rows)
  await writeFile(join(folder, `${name}.json`), JSON.stringify(truth))
}

const [folder = '', source, first = '', count = '0'] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
if (source === 'pieces') {
  let number = 0
  for (const { samples, truth } of trainingPieces(Number(first), Number(count)))
    await store(folder, `piece-${first}-${number++}`, samples, truth)
} else if (source === 'files') {
  for (const file of (await readdir(first)).filter((name) => name.endsWith('.wav'))) {
    const name = file.slice(0, -'.wav'.length)
    const { block, sampleRate } = await decodeAll(await readFile(join(first, file)))
    const truth = JSON.parse(await readFile(join(first, `${name}.json`), 'utf8')) as Truth
    await store(folder, name, resample(monoOf(block), sampleRate, analysisRate), truth)
  }
} else {
  console.error(
    'Give a folder, then "pieces", a seed and a count, or "files" and a folder of WAV files with their truth.',
  )
  process.exitCode = 1
}
