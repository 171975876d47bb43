import { failure } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import type { ContinueTask, ExportTask, IngestTask, StoredPiece } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { concatenateAudio, tailOf } from '../audio/audio-path.ts'
import type { ByteSource } from '../audio/byte-source.ts'
import { createDescriber } from '../audio/describe.ts'
import { NODE_FILES, nodeFolder } from '../audio/files-layout.ts'
import { AUDIO_LIMITS, ingestAudio } from '../audio/ingest.ts'
import { blocksOf, openStoredAudio, type StoredAudio } from '../audio/stored-audio.ts'
import { wavBytes } from '../audio/wav-write.ts'
import { encodeMp3 } from '../export/mp3-encode.ts'
import { joinSpine, normalisingGain, withGain } from '../export/spine.ts'
import type { Generator } from '../generate/generator.ts'
import { mockContinuation } from '../generate/mock.ts'
import { recombine } from '../generate/recombine.ts'
import { measureSeam, SEAM_SECONDS } from '../generate/seam.ts'

/** What tasks work with. */
export interface TaskWorld {
  /** The files port, on one folder of it. */
  readonly filesIn: (folder: string) => Promise<Files>
  readonly progress: (share: number) => void
  readonly signal: AbortSignal
}

const byteSource = async (files: Files, key: string): Promise<ByteSource> => {
  const info = await files.stat(key)
  if (!info) throw failure('not_found', 'The audio that was to be worked on is no longer there.')
  return { size: info.size, read: (offset, length) => files.readRange(key, { start: offset, end: offset + length }) }
}

const openPiece = async ({ filesIn }: TaskWorld, piece: StoredPiece): Promise<StoredAudio> =>
  openStoredAudio(await byteSource(await filesIn(nodeFolder(piece.nodeId)), NODE_FILES.samples), piece)

const openPath = async (world: TaskWorld, pieces: readonly StoredPiece[]): Promise<StoredAudio[]> =>
  Promise.all(pieces.map((piece) => openPiece(world, piece)))

/** Decodes an upload into a node's samples. */
export const ingest = async ({ nodeId, maximumSeconds }: IngestTask, world: TaskWorld): Promise<AudioResult> => {
  const files = await world.filesIn(nodeFolder(nodeId))
  const upload = await byteSource(files, NODE_FILES.upload)
  const { blocks, sampleRate, channels } = await ingestAudio(upload, { ...AUDIO_LIMITS, maximumSeconds })
  const describer = createDescriber({ sampleRate, channels })
  await files.write(NODE_FILES.samples, describer.stored(blocks, world.signal), world.signal)
  const { description, overview } = describer.finish()
  await files.write(NODE_FILES.overview, overview)
  return AudioResult.fromPartial(description)
}

/** How near (as a ratio) a tempo must come to another to be counted as it. */
const SAME_TEMPO = 0.04

/** A tempo counted as its parent's is, where it is the same but for a factor of two: ten seconds alone may not tell. */
const sameOctave = (bpm: number | null, parent: number | null): number | null => {
  if (bpm === null || parent === null) return bpm
  return [bpm * 2, bpm / 2].find((other) => Math.abs(other / parent - 1) < SAME_TEMPO) ?? bpm
}

const GENERATORS: Record<string, Generator> = { recombine, mock: mockContinuation }

/** Shares of the progress: generating, then describing and measuring. */
const GENERATED = 0.85

/** Makes a node's samples out of what comes before it. */
export const continueAudio = async (task: ContinueTask, world: TaskWorld): Promise<AudioResult> => {
  const generate = GENERATORS[task.generator]
  if (!generate) throw failure('unavailable', `This installation has no generator of kind ${task.generator}.`)
  const path = concatenateAudio(await openPath(world, task.path))
  const context = task.contextFrames > 0 ? tailOf(path, task.contextFrames) : path
  const { block, honored } = await generate({
    context,
    frames: task.frames,
    prompt: task.prompt,
    seed: task.seed,
    onProgress: (share) => world.progress(share * GENERATED),
    signal: world.signal,
  })
  const files = await world.filesIn(nodeFolder(task.nodeId))
  const describer = createDescriber(path)
  await files.write(NODE_FILES.samples, describer.stored([block], world.signal), world.signal)
  const { description, overview } = describer.finish()
  await files.write(NODE_FILES.overview, overview)
  const reach = SEAM_SECONDS * path.sampleRate
  const before = await tailOf(path, reach).read(0, reach)
  const seam = measureSeam({ before, after: block, sampleRate: path.sampleRate })
  const bpm = sameOctave(description.bpm, task.parentBpm ?? null)
  return AudioResult.fromPartial({ ...description, ...seam, bpm, promptHonored: [...honored] })
}

/** Writes pieces as one file. */
export const exportAudio = async (task: ExportTask, world: TaskWorld): Promise<AudioResult> => {
  const joined = joinSpine(await openPath(world, task.pieces), task.crossfadeFrames)
  const audio = task.normalize ? withGain(joined, await normalisingGain(joined, world.signal)) : joined
  const content =
    task.format === 'mp3'
      ? await encodeMp3(audio, world.signal)
      : wavBytes(audio, audio.frames, blocksOf(audio, world.signal))
  const files = await world.filesIn(task.folder)
  await files.write(task.name, content, world.signal)
  return AudioResult.fromPartial({ sampleRate: audio.sampleRate, channels: audio.channels, frames: audio.frames })
}
