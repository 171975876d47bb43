import { serviceError } from '@trellis/kit/errors'
import type {
  ContinueTask,
  ExportTask,
  IngestTask,
  InputAudio,
  SpectrogramTask,
} from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { analyseSound } from '../analysis/analyse.ts'
import { partSamples, soundOf } from '../analysis/features.ts'
import { monoFrom, monoPieceOf } from '../analysis/mono-piece.ts'
import { featuresOfPath, featuresToStore, type PathPiece } from '../analysis/path-features.ts'
import type { FindPulse } from '../analysis/pulse.ts'
import { storedPulses } from '../analysis/pulse-file.ts'
import { sameOctave } from '../analysis/same-octave.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { concatenateAudio, tailOf } from '../audio/audio-path.ts'
import { type AudioDescription, createDescriber } from '../audio/describe.ts'
import { nodeFile, samplesOwner } from '../audio/files-layout.ts'
import { audioLimits, ingestAudio } from '../audio/ingest.ts'
import type { AudioShape, Block } from '../audio/pcm.ts'
import { invalidAudio } from '../audio/refusal.ts'
import { blocksOf, openStoredAudio, type StoredAudio } from '../audio/stored-audio.ts'
import { wavBytes } from '../audio/wav-write.ts'
import { flacBytes } from '../export/flac-encode.ts'
import { encodeMp3 } from '../export/mp3-encode.ts'
import { joinSpine, normalisingGain, withGain } from '../export/spine.ts'
import { analyseContext, type ContextSound, type ContinuationRequest, type Generator } from '../generate/generator.ts'
import { measureSeam, seamSeconds } from '../generate/measure-seam.ts'
import { mockContinuation } from '../generate/mock.ts'
import { modelSetting, noModel } from '../generate/model-setting.ts'
import { recombine } from '../generate/recombine.ts'
import { grayscalePng } from '../spectrogram/png.ts'
import { spectrogramPixels } from '../spectrogram/spectrogram.ts'
import {
  byteSource,
  openPath,
  openPathPiece,
  openPiece,
  openPulses,
  storePulse,
  type TaskDependencies,
} from './pieces.ts'
import { readableModel } from './readable-model.ts'

/** Stores a node's samples and outline as they pass by; returns their description. */
const storeSamples = async (
  { files, signal }: TaskDependencies,
  nodeId: string,
  shape: AudioShape,
  blocks: AsyncIterable<Block> | Iterable<Block>,
): Promise<AudioDescription> => {
  const describer = createDescriber(shape)
  await files.write(nodeFile(nodeId, 'samples'), describer.stored(blocks, signal), signal)
  const { description, overview } = describer.finish()
  await files.write(nodeFile(nodeId, 'overview'), overview, signal)
  return description
}

/** Tempo and key of stored audio on its own. */
const tempoAndKey = async (audio: StoredAudio, signal: AbortSignal) => {
  const { bpm, key } = analyseSound((await analyseContext(audio, signal)).sound)
  return { bpm, key: key?.name ?? null }
}

/** Decodes an upload into a node's samples. */
export const ingest = async (
  { nodeId, maximumSeconds: maxSeconds, maximumBytes: maxBytes }: IngestTask,
  dependencies: TaskDependencies,
): Promise<AudioResult> => {
  const upload = await byteSource(dependencies.files, nodeFile(nodeId, 'upload'))
  const quota = maxBytes > 0 ? { maxBytes } : {}
  const { blocks, sampleRate, channels } = await ingestAudio(upload, { ...audioLimits, maxSeconds, ...quota })
  const description = await storeSamples(dependencies, nodeId, { sampleRate, channels }, blocks)
  const piece = await openPathPiece(dependencies, { nodeId, sampleRate, channels })
  const stored = await featuresToStore([piece], dependencies.signal)
  await dependencies.files.write(nodeFile(nodeId, 'features'), stored, dependencies.signal)
  const path = [{ ...piece, stored: async () => stored }]
  const mono = monoPieceOf(piece.audio)
  const sound = soundOf(await featuresOfPath(path, mono, 0, dependencies.signal), mono.samples)
  const pulses = storedPulses([])
  const { bpm, key } = analyseSound(sound, pulses.find)
  await storePulse(dependencies, nodeId, pulses)
  return AudioResult.fromPartial({ ...description, bpm, key: key?.name ?? null })
}

/**
 * Opens the named audio to continue: the samples of a node, or a file that is decoded like an upload, into the folder of the
 * new node. Throws AudioRefused if its shape differs from the chain's.
 */
const openInput = async (
  dependencies: TaskDependencies,
  nodeId: string,
  { key, ...shape }: InputAudio,
): Promise<PathPiece> => {
  const stored = async () => undefined
  const source = await byteSource(dependencies.files, key)
  if (samplesOwner(key) !== undefined) return { audio: openStoredAudio(source, shape), stored }
  const { blocks, sampleRate, channels } = await ingestAudio(source, audioLimits)
  if (sampleRate !== shape.sampleRate || channels !== shape.channels) {
    const [is, must] = [{ sampleRate, channels }, shape].map(
      (one) => `${one.sampleRate} Hz and ${one.channels} channels`,
    )
    throw invalidAudio(`The input has ${is}, the chain ${must}: they must be the same.`)
  }
  const decoded = nodeFile(nodeId, 'input')
  await dependencies.files.write(
    decoded,
    createDescriber(shape).stored(blocks, dependencies.signal),
    dependencies.signal,
  )
  return { audio: openStoredAudio(await byteSource(dependencies.files, decoded), shape), stored }
}

/** The generator of a task; that of a model opens it. */
const generatorOf = async ({ generator, model }: ContinueTask, { models }: TaskDependencies): Promise<Generator> => {
  if (generator === 'recombine') return recombine
  if (generator === 'mock') return mockContinuation
  if (generator !== 'onnx') throw serviceError('invalid', `There is no generator of kind ${generator}.`)
  if (!model) throw serviceError('invalid', noModel)
  const { continueByModel } = await import('../generate/model/continue-by-model.ts')
  return continueByModel(await models.open(model))
}

/** Shares of the progress: generating, then describing and measuring. */
const generated = 0.85

/**
 * The longest context (s), which bounds memory and time. Earlier material has most likely been repeated since, and a piece of
 * this length offers more than a continuation can use.
 */
const longestContext = 1_800

/** The context of a continuation: the last `frames` frames of its path (0 for all), from the beginning of a part on. */
const contextOf = (pieces: readonly PathPiece[], frames: number, findPulse: FindPulse, signal: AbortSignal) => {
  const path = concatenateAudio(pieces.map(({ audio }) => audio))
  const mono = monoPieceOf(path)
  const requested = Math.min(longestContext, frames > 0 ? frames / path.sampleRate : longestContext)
  const startPart = Math.max(0, Math.floor((mono.samples - requested * analysisRate) / partSamples))
  const offset = startPart * partSamples
  const listen = async (): Promise<ContextSound> => {
    const features = await featuresOfPath(pieces, mono, startPart, signal)
    return { mono: monoFrom(mono, offset), sound: soundOf(features, mono.samples - offset), findPulse }
  }
  const skipped = Math.round((offset * path.sampleRate) / analysisRate)
  return { path, context: tailOf(path, path.frames - skipped), listen }
}

const generate = async (task: ContinueTask, dependencies: TaskDependencies, request: ContinuationRequest) => {
  try {
    const generator = await generatorOf(task, dependencies)
    return await generator(request)
  } catch (error) {
    throw readableModel(error, modelSetting)
  }
}

/** Nodes that may have stored the pulse of the context: the upload, other continuations of the parent, and an earlier attempt at this one. */
const pulseOwners = ({ nodeId, path, otherTakes }: ContinueTask): string[] => [
  ...new Set([nodeId, ...path.slice(0, 1).map((root) => root.nodeId), ...otherTakes]),
]

/** Generates a node's samples from its context. */
export const continueAudio = async (task: ContinueTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  const { signal } = dependencies
  const pieces = task.input
    ? [await openInput(dependencies, task.nodeId, task.input)]
    : await Promise.all(task.path.map((piece) => openPathPiece(dependencies, piece)))
  const pulses = await openPulses(dependencies, pulseOwners(task))
  const { path, context, listen } = contextOf(pieces, task.contextFrames, pulses.find, signal)
  const { block, honored } = await generate(task, dependencies, {
    context,
    listen,
    contextFrames: task.contextFrames,
    frames: task.frames,
    prompt: task.prompt,
    seed: task.seed,
    onProgress: (share) => dependencies.progress(share * generated),
    signal,
  })
  await storePulse(dependencies, task.nodeId, pulses)
  const { sampleRate, channels } = path
  const description = await storeSamples(dependencies, task.nodeId, { sampleRate, channels }, [block])
  const made = await openPathPiece(dependencies, { nodeId: task.nodeId, sampleRate, channels })
  // Stored features depend on the position in the path: after other audio there is none.
  if (!task.input) {
    const stored = await featuresToStore([...pieces, made], signal)
    await dependencies.files.write(nodeFile(task.nodeId, 'features'), stored, signal)
  }
  const { bpm, key } = await tempoAndKey(made.audio, signal)
  const reach = seamSeconds * path.sampleRate
  const before = await tailOf(path, reach).read(0, reach)
  const seam = measureSeam({ before, after: block, sampleRate: path.sampleRate })
  return AudioResult.fromPartial({
    ...description,
    ...seam,
    bpm: sameOctave(bpm, task.parentBpm ?? null),
    key,
    promptHonored: [...honored],
  })
}

type Encoded = Uint8Array | AsyncIterable<Uint8Array>
type Encoder = (audio: StoredAudio, signal: AbortSignal) => Encoded | Promise<Encoded>

const encodeWav: Encoder = (audio, signal) => wavBytes(audio, audio.frames, blocksOf(audio, signal))
const encoders: Record<string, Encoder> = { wav: encodeWav, mp3: encodeMp3, flac: flacBytes }

/** Writes pieces as one file. */
export const exportAudio = async (task: ExportTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  const joined = joinSpine(await openPath(dependencies, task.pieces), task.crossfadeFrames)
  const audio = task.normalize ? withGain(joined, await normalisingGain(joined, dependencies.signal)) : joined
  const content = await (encoders[task.format] ?? encodeWav)(audio, dependencies.signal)
  await dependencies.files.write(`${task.folder}/${task.name}`, content, dependencies.signal)
  return AudioResult.fromPartial({ sampleRate: audio.sampleRate, channels: audio.channels, frames: audio.frames })
}

/** Writes a picture of the frequencies of a stretch. */
export const drawSpectrogram = async (
  { piece, startFrame: start, endFrame: end, width, height, folder, name }: SpectrogramTask,
  dependencies: TaskDependencies,
): Promise<AudioResult> => {
  if (!piece) throw serviceError('malformed', 'The task names no audio.')
  const audio = await openPiece(dependencies, piece)
  const pixels = await spectrogramPixels(audio, { start, end, width, height }, dependencies.signal)
  await dependencies.files.write(`${folder}/${name}`, grayscalePng(pixels, width, height), dependencies.signal)
  return AudioResult.fromPartial({ sampleRate: audio.sampleRate, channels: audio.channels, frames: audio.frames })
}
