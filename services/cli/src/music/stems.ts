import { type Command, readArguments } from '../command.ts'
import { explained } from '../explained.ts'
import { formatOf, formats } from './formats.ts'
import { inputOf, titleOf } from './input.ts'
import { openAudio, sharedProgress } from './local.ts'
import { openOutputs } from './outputs.ts'

const options = {
  format: { type: 'string' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const example = 'trellis music stems in.wav -o out/'
const stems = ['vocals', 'drums', 'bass', 'other']

export const stemsCommand: Command = {
  usage: 'FILE [--format wav|flac|mp3] [-o FOLDER] [--force] [--json]',
  purpose: 'separates a piece of music into vocals, drums, bass and other; needs no server',
  help: `Separates a piece of music into four stems. They are written as FOLDER/NAME-vocals.wav, -drums, -bass and -other;
their paths are printed. As WAV or FLAC, their samples sum to those of the piece.

  FILE              WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC, Opus) or Ogg (Vorbis, Opus)
  --format FORMAT   ${formats.join(', ')}; wav (24 bits) by default
  -o, --output      the folder for the stems, which is created if necessary; the current one by default
  --force           overwrites existing files
  --json            prints the files with each stem's share of the energy as JSON

MUSIC_STEMS_MODEL names the folder of a model in ONNX; without it, stems are approximate.

Example: ${example}`,
  run: (words, { result, progress, ...surroundings }) =>
    explained(async () => {
      const { values, positionals } = readArguments(words, options)
      const format = formatOf(values.format)
      const path = await inputOf(positionals, example)
      const nameOf = (stem: string) => `${titleOf(path)}-${stem}.${format}`
      const names = stems.map(nameOf)
      await using outputs = await openOutputs({ folder: values.output ?? '.', names, force: values.force ?? false })
      await using audio = await openAudio(outputs.workspace, surroundings)
      progress('Reading')
      const piece = await audio.read(path)
      const separated = await audio.separate(piece, sharedProgress('Separating', 1, progress)(0))
      const files = await Promise.all(
        separated.map(async ({ name, stored }) => ({ file: await audio.encode([stored], format), name: nameOf(name) })),
      )
      const paths = await outputs.place(files)
      const records = separated.map(({ name, energyShare }, index) => ({
        name,
        file: paths[index] ?? '',
        energy_share: energyShare,
      }))
      result(values.json ? JSON.stringify(records, null, 2) : paths.join('\n'))
    }),
}
