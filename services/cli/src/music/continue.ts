import { randomInt } from 'node:crypto'
import type { AudioFormat, GeneratorName, LocalAudio, LocalPiece, LocalTake } from '@trellis/music/local'
import { type Command, readArguments, type Surroundings } from '../command.ts'
import { explained } from '../explained.ts'
import { CommandFailure } from '../failure.ts'
import { numberWithin } from '../numbers.ts'
import { formatOf, formats } from './formats.ts'
import { inputOf, titleOf } from './input.ts'
import { openAudio, sharedProgress } from './local.ts'
import { openOutputs } from './outputs.ts'

const options = {
  seconds: { type: 'string' },
  takes: { type: 'string' },
  seed: { type: 'string' },
  prompt: { type: 'string' },
  generator: { type: 'string' },
  context: { type: 'string' },
  format: { type: 'string' },
  whole: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const example = 'trellis music continue in.wav --seconds 30 --takes 3 -o out/'
/** The limits of the API. */
const limits = {
  seconds: { min: 1, max: 60 },
  takes: { min: 1, max: 4, isWhole: true },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true },
  context: { min: 1, max: 1_200 },
} as const
const promptCharacters = 2_000
/** Those of the API. */
const generatorChoices = ['auto', 'recombine', 'onnx', 'mock'] as const
const defaultSeconds = 10
/** The range of random seeds, which is the widest that Node offers. */
const randomSeeds = 2 ** 48 - 1

const seedsOf = (first: number, takes: number): number[] => {
  if (first > limits.seed.max - (takes - 1))
    throw new CommandFailure(`--seed is too large: the last take's would be past ${limits.seed.max}.`, 2)
  return Array.from({ length: takes }, (_, take) => first + take)
}

const generatorOf = (name: string = 'auto'): GeneratorName => {
  const found = generatorChoices.find((choice) => choice === name)
  if (found) return found
  throw new CommandFailure(`--generator must be one of ${generatorChoices.join(', ')}.`, 2)
}

/** What scripts receive of a take. */
const recordOf = (file: string, { seconds, seed, bpm, key, loudnessLufs, seam, generator, ...words }: LocalTake) => ({
  file,
  seed,
  generator,
  prompt_honored: words.promptHonored,
  prompt_ignored: words.promptIgnored,
  duration_seconds: seconds,
  bpm,
  key,
  loudness_lufs: loudnessLufs,
  seam: seam && {
    distance_percentile: seam.distancePercentile,
    loudness_step_lu: seam.loudnessStepLu,
    beat_error_ms: seam.beatErrorMs,
  },
})

type TakesRequest = {
  readonly seeds: readonly number[]
  readonly seconds: number
  readonly prompt: string
  readonly generator: GeneratorName
  readonly contextSeconds: number | undefined
  readonly format: AudioFormat
  readonly isWhole: boolean
}

/** Generates takes and encodes each as a file. */
const makeTakes = (
  audio: LocalAudio,
  piece: LocalPiece,
  { seeds, format, isWhole, contextSeconds, ...request }: TakesRequest,
  show: Surroundings['progress'],
) => {
  const progress = sharedProgress('Continuing', seeds.length, show)
  return Promise.all(
    seeds.map(async (seed, index) => {
      const take = await audio.generate(
        piece,
        { ...request, seed, ...(contextSeconds !== undefined && { contextSeconds }) },
        progress(index),
      )
      return { take, file: await audio.encode(isWhole ? [piece.stored, take.stored] : [take.stored], format) }
    }),
  )
}

export const continueCommand: Command = {
  usage:
    'FILE [--seconds N] [--takes N] [--seed N] [--prompt WORDS] [--generator NAME] [--context N] [--format wav|flac|mp3] [--whole] [-o FOLDER] [--force] [--json]',
  purpose: 'continues a piece of music and writes each take as a file; needs no server',
  help: `Continues a piece of music. Each take is written as FOLDER/NAME-take-1.wav and so on; their paths are printed.

  FILE              WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC, Opus) or Ogg (Vorbis, Opus)
  --seconds N       length of the continuation, ${limits.seconds.min} to ${limits.seconds.max}; ${defaultSeconds} by default
  --takes N         alternatives, ${limits.takes.min} to ${limits.takes.max}; 1 by default
  --seed N          of the first take, the next ones count on from it; random by default. The same seed
                    gives the same bytes as before, and as a server
  --prompt WORDS    wishes about energy, variety, drums, tempo, an instrument to leave out, a section and an
                    ending, such as "calm, no drums, outro" or "faster, like the chorus"
  --generator NAME  ${generatorChoices.join(', ')}: a model (onnx) if MUSIC_MODEL names the folder of one,
                    else the piece is recombined; auto, the best one, by default
  --context N       seconds of the piece's end to continue from; by default 10 for a model, else all
  --format FORMAT   ${formats.join(', ')}; wav (24 bits) by default
  --whole           writes the piece with its continuation, instead of the continuation alone
  -o, --output      the folder for the takes, which is created if necessary; the current one by default
  --force           overwrites existing files
  --json            prints seeds, tempi, keys and figures of the seams as JSON

Example: ${example}`,
  run: (words, { result, note, progress, ...surroundings }) =>
    explained(async () => {
      const { values, positionals } = readArguments(words, options)
      const seconds = numberWithin('seconds', values.seconds, limits.seconds) ?? defaultSeconds
      const takes = numberWithin('takes', values.takes, limits.takes) ?? 1
      const seeds = seedsOf(numberWithin('seed', values.seed, limits.seed) ?? randomInt(randomSeeds), takes)
      const contextSeconds = numberWithin('context', values.context, limits.context)
      const generator = generatorOf(values.generator)
      const format = formatOf(values.format)
      const { prompt = '' } = values
      if ([...prompt].length > promptCharacters)
        throw new CommandFailure(`--prompt may have at most ${promptCharacters} characters.`, 2)
      const path = await inputOf(positionals, example)
      const names = seeds.map((_, index) => `${titleOf(path)}-take-${index + 1}.${format}`)
      await using outputs = await openOutputs({ folder: values.output ?? '.', names, force: values.force ?? false })
      await using audio = await openAudio(outputs.workspace, surroundings)
      progress('Reading')
      const piece = await audio.read(path)
      const isWhole = values.whole ?? false
      const request = { seeds, seconds, prompt, generator, contextSeconds, format, isWhole }
      const made = await makeTakes(audio, piece, request, progress)
      const paths = await outputs.place(made.map(({ file }, index) => ({ file, name: names[index] ?? '' })))
      if (values.json) {
        result(
          JSON.stringify(
            made.map(({ take }, index) => recordOf(paths[index] ?? '', take)),
            null,
            2,
          ),
        )
        return
      }
      for (const [index, { take }] of made.entries())
        note(`Take ${index + 1}: ${take.seconds.toFixed(2)} s, seed ${take.seed}`)
      const ignored = new Set(made.flatMap(({ take }) => take.promptIgnored))
      if (ignored.size > 0) note(`Not followed: ${[...ignored].join(', ')}`)
      result(paths.join('\n'))
    }),
}
