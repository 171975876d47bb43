import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalPiece, LocalRhythm } from '@trellis/music/local'
import { type Command, readArguments } from '../command.ts'
import { explained } from '../explained.ts'
import { inputOf } from './input.ts'
import { openAudio } from './local.ts'

const options = { json: { type: 'boolean' } } as const

const example = 'trellis music analyse in.wav --json'

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

const recordOf = (file: string, piece: LocalPiece, rhythm: LocalRhythm) => ({
  file,
  duration_seconds: piece.seconds,
  sample_rate: piece.sampleRate,
  channels: piece.channels,
  bpm: piece.bpm,
  metre: rhythm.metre,
  key: piece.key,
  key_confidence: rhythm.keyConfidence,
  loudness_lufs: piece.loudnessLufs,
  loudness_range_lu: piece.loudnessRangeLu,
  is_silent: piece.isSilent,
  beats: rhythm.beats.map(milliseconds),
  downbeats: rhythm.downbeats.map(milliseconds),
})

const durationOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${(Math.floor((seconds % 60) * 10) / 10).toFixed(1).padStart(4, '0')}`

/** The analysis as lines of a name and what was found. */
const linesOf = (
  file: string,
  piece: LocalPiece,
  { metre, beats, downbeats, keyConfidence }: LocalRhythm,
): string[] => {
  const channels = piece.channels === 1 ? 'mono' : 'stereo'
  const certainty = keyConfidence === null ? '' : ` (${Math.round(keyConfidence * 100)} % certain)`
  const range = piece.loudnessRangeLu === null ? '' : `, range ${piece.loudnessRangeLu.toFixed(1)} LU`
  const rows: [string, string][] = [
    ['File', file],
    ['Length', `${durationOf(piece.seconds)} (${piece.sampleRate} Hz, ${channels})`],
    ['Tempo', piece.bpm === null ? 'none found' : `${piece.bpm.toFixed(1)} BPM, ${metre}`],
    ['Beats', `${beats.length}, of which ${downbeats.length} begin a bar`],
    ['Key', piece.key === null ? 'none found' : `${piece.key}${certainty}`],
    ['Loudness', piece.loudnessLufs === null ? 'silent' : `${piece.loudnessLufs.toFixed(1)} LUFS${range}`],
  ]
  return rows.map(([name, found]) => `${name.padEnd(10)}${found}`)
}

export const analyseCommand: Command = {
  usage: 'FILE [--json]',
  purpose: 'finds tempo, beats, key and loudness of a piece of music; needs no server',
  help: `Finds length, tempo, metre, beats, key and loudness of a piece of music.

  FILE              WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC, Opus) or Ogg (Vorbis, Opus)
  --json            prints the analysis as JSON, with the times of all beats and of those that begin a bar in
                    seconds. What was not found is null

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
      const rhythm = await audio.findBeats(piece)
      result(
        values.json ? JSON.stringify(recordOf(path, piece, rhythm), null, 2) : linesOf(path, piece, rhythm).join('\n'),
      )
    }),
}
