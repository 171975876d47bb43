import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalAnalysis, LocalPiece } from '@trellis/music/local'
import { type Command, readArguments } from '../command.ts'
import { explained } from '../explained.ts'
import { inputOf } from './input.ts'
import { openAudio } from './local.ts'

const options = { json: { type: 'boolean' } } as const

const example = 'trellis music analyse in.wav --json'

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

/** Sections that sound alike have the same letter; AA follows Z. */
const letterOf = (label: number): string =>
  `${label < 26 ? '' : letterOf(Math.floor(label / 26) - 1)}${String.fromCodePoint(65 + (label % 26))}`

const recordOf = (file: string, piece: LocalPiece, analysis: LocalAnalysis) => ({
  file,
  duration_seconds: piece.seconds,
  sample_rate: piece.sampleRate,
  channels: piece.channels,
  bpm: piece.bpm,
  metre: analysis.metre,
  key: piece.key,
  key_confidence: analysis.keyConfidence,
  loudness_lufs: piece.loudnessLufs,
  loudness_range_lu: piece.loudnessRangeLu,
  is_silent: piece.isSilent,
  beats: analysis.beats.map(milliseconds),
  downbeats: analysis.downbeats.map(milliseconds),
  sections: analysis.sections.map(({ start, end, label }) => ({
    start: milliseconds(start),
    end: milliseconds(end),
    label: letterOf(label),
  })),
})

const durationOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${(Math.floor((seconds % 60) * 10) / 10).toFixed(1).padStart(4, '0')}`

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const sectionsRow = (sections: LocalAnalysis['sections']): [string, string] => [
  'Sections',
  sections.map(({ start, label }) => `${letterOf(label)} ${clock(start)}`).join(', '),
]

/** The analysis as lines of a name and what was found. */
const linesOf = (
  file: string,
  piece: LocalPiece,
  { metre, beats, downbeats, keyConfidence, sections }: LocalAnalysis,
): string[] => {
  const channels = piece.channels === 1 ? 'mono' : 'stereo'
  const certainty = keyConfidence === null ? '' : ` (${Math.round(keyConfidence * 100)} % certain)`
  const range = piece.loudnessRangeLu === null ? '' : `, range ${piece.loudnessRangeLu.toFixed(1)} LU`
  const rows: [string, string][] = [
    ['File', file],
    ['Length', `${durationOf(piece.seconds)} (${piece.sampleRate} Hz, ${channels})`],
    ['Tempo', piece.bpm === null ? 'none found' : `${piece.bpm.toFixed(1)} BPM, ${metre}`],
    ['Beats', `${beats.length}, of which ${downbeats.length} begin a bar`],
    ...(sections.length < 2 ? [] : [sectionsRow(sections)]),
    ['Key', piece.key === null ? 'none found' : `${piece.key}${certainty}`],
    ['Loudness', piece.loudnessLufs === null ? 'silent' : `${piece.loudnessLufs.toFixed(1)} LUFS${range}`],
  ]
  return rows.map(([name, found]) => `${name.padEnd(10)}${found}`)
}

export const analyseCommand: Command = {
  usage: 'FILE [--json]',
  purpose: 'finds tempo, beats, sections, key and loudness of a piece of music; needs no server',
  help: `Finds length, tempo, metre, beats, sections, key and loudness of a piece of music. Sections with the same letter sound alike.

  FILE              WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC, Opus) or Ogg (Vorbis, Opus)
  --json            prints the analysis as JSON, with the times of all beats, of those that begin a bar, and of
                    sections in seconds. What was not found is null

Example: ${example}`,
  run: (words, { result, progress, ...surroundings }) =>
    explained(async () => {
      const { values, positionals } = readArguments(words, options)
      const path = await inputOf(positionals, example)
      await using opened = new AsyncDisposableStack()
      const workspace = await mkdtemp(join(tmpdir(), 'trellis-'))
      opened.defer(() => rm(workspace, { recursive: true, force: true, maxRetries: 3 }))
      const audio = opened.use(await openAudio(workspace, surroundings))
      progress('Analysing')
      const piece = await audio.read(path)
      const analysis = await audio.analyse(piece)
      result(
        values.json
          ? JSON.stringify(recordOf(path, piece, analysis), null, 2)
          : linesOf(path, piece, analysis).join('\n'),
      )
    }),
}
