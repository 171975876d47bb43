import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { serviceError } from '@trellis/kit/errors'
import { openDirectoryFiles } from '@trellis/kit/files'
import type { AudioResult, StoredPiece } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { deliveryFolder, nodeFile, stemFile, stemsFolder } from '../audio/files-layout.ts'
import { newId } from '../chains/ids.ts'
import { blameUpload, uploadWithin } from '../chains/upload.ts'
import type { MusicConfig } from '../config.ts'
import { modelSetting, noModel } from '../generate/model-setting.ts'
import { ignoredWords } from '../generate/prompt-words.ts'
import { contextFor, generatorFor, generatorNamed, requireLength } from '../generations/generator-for.ts'
import { DEADLINE_SECONDS } from '../generations/job.ts'
import type { ModelStatus } from '../models/installed-model.ts'
import { ModelUnusable } from '../onnx/model-unusable.ts'
import { separationSeconds } from '../separations/job.ts'
import { type StemName, stemNames } from '../stems/stem-names.ts'
import { openTaskPool } from './task-pool.ts'

/** Audio in the folder, and what is known of it. */
export type LocalPiece = {
  readonly stored: StoredPiece
  readonly seconds: number
  readonly sampleRate: number
  readonly channels: number
  readonly bpm: number | null
  readonly key: string | null
  readonly loudnessLufs: number | null
  readonly loudnessRangeLu: number | null
  readonly isSilent: boolean
}

export type Seam = {
  readonly distancePercentile: number
  readonly loudnessStepLu: number
  readonly beatErrorMs: number | null
}

export type LocalTake = LocalPiece & {
  readonly seed: number
  readonly seam: Seam | null
  /** The one that made it. */
  readonly generator: GeneratorName
  /** Words of the prompt that were followed, and the others that carry a meaning. */
  readonly promptHonored: readonly string[]
  readonly promptIgnored: readonly string[]
}

export type LocalStem = { readonly name: StemName; readonly energyShare: number; readonly stored: StoredPiece }

/** Times in seconds. */
export type LocalAnalysis = {
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
  readonly metre: string | null
  readonly keyConfidence: number | null
  /** Sections with the same label sound alike; the first is 0. */
  readonly sections: readonly { readonly start: number; readonly end: number; readonly label: number }[]
}

export type TakeRequest = {
  readonly seconds: number
  readonly seed: number
  readonly prompt: string
  /** The best one if it is absent. */
  readonly generator?: GeneratorName
  /** Length of the context; by default that of the generator. */
  readonly contextSeconds?: number
}

/** Generators by their names in the API. */
export type GeneratorName = 'auto' | 'recombine' | 'onnx' | 'mock'

export type AudioFormat = 'wav' | 'flac' | 'mp3'

type OnProgress = (share: number) => void

/**
 * Works on audio files of this machine without an installation: by the same tasks, in the same kind of workers and with the same
 * limits as the service. Failures are ServiceErrors, whose messages are sentences for the user.
 */
export type LocalAudio = AsyncDisposable & {
  /** Decodes and measures a file. */
  readonly read: (path: string, onProgress?: OnProgress) => Promise<LocalPiece>
  readonly analyse: (piece: LocalPiece) => Promise<LocalAnalysis>
  readonly generate: (piece: LocalPiece, request: TakeRequest, onProgress?: OnProgress) => Promise<LocalTake>
  readonly separate: (piece: LocalPiece, onProgress?: OnProgress) => Promise<LocalStem[]>
  /** Writes pieces, one after the other, as one file, and returns its path. The caller may move it. */
  readonly encode: (pieces: readonly StoredPiece[], format: AudioFormat) => Promise<string>
}

export type LocalAudioOptions = {
  /** An empty folder for everything that is stored meanwhile. */
  readonly directory: string
  readonly config: MusicConfig
  readonly signal: AbortSignal
}

/** Time limit of reading a file, and of writing one: longer than the service's, which has other users. */
const fileSeconds = 600

const pieceOf = (stored: StoredPiece, result: AudioResult): LocalPiece => {
  const { sampleRate, channels, frames, silentTailSeconds } = result
  return {
    stored: { ...stored, sampleRate, channels },
    seconds: frames / sampleRate,
    sampleRate,
    channels,
    bpm: result.bpm ?? null,
    key: result.key ?? null,
    loudnessLufs: result.loudnessLufs ?? null,
    loudnessRangeLu: result.loudnessRangeLu ?? null,
    isSilent: silentTailSeconds >= (frames - 1) / sampleRate,
  }
}

const seamOf = ({ distancePercentile, loudnessStepLu, beatErrorMs }: AudioResult): Seam | null =>
  typeof distancePercentile === 'number' && typeof loudnessStepLu === 'number'
    ? { distancePercentile, loudnessStepLu, beatErrorMs: beatErrorMs ?? null }
    : null

/** The model of the settings, as its folder describes it: the first take finds out whether its networks can be used. */
const localModel = async ({ model: folder }: MusicConfig): Promise<ModelStatus> => {
  if (folder === undefined) return { available: false, reason: noModel }
  const { readModelFolder } = await import('../generate/model/manifest.ts')
  try {
    const { manifest, contextSeconds } = await readModelFolder(folder)
    const { sample_rate: sampleRate, max_seconds: maxSeconds } = manifest
    return { available: true, sampleRate, maxSeconds, contextSeconds }
  } catch (error) {
    if (!(error instanceof ModelUnusable)) throw error
    return { available: false, reason: `The model of ${modelSetting} cannot be used. ${error.message}` }
  }
}

export const openLocalAudio = async ({ directory, config, signal }: LocalAudioOptions): Promise<LocalAudio> => {
  const files = await openDirectoryFiles(directory)
  const { workers, workerMegabytes: memoryMegabytes, maxSeconds, maxUploadMegabytes } = config
  const pool = openTaskPool({ directory, workers, memoryMegabytes, modelRuntime: config, signal })
  const unread = (nodeId: string): StoredPiece => ({ nodeId, sampleRate: 0, channels: 0, key: null })

  return {
    async read(path, onProgress) {
      const nodeId = newId()
      const upload = nodeFile(nodeId, 'upload')
      const { size } = await files.write(upload, uploadWithin(createReadStream(path), maxUploadMegabytes), signal)
      if (size === 0) throw serviceError('invalid', 'The file is empty.')
      const value = { nodeId, maximumSeconds: maxSeconds, maximumBytes: 0 }
      const options = { deadlineSeconds: fileSeconds, ...(onProgress && { onProgress }) }
      const result = await pool.run({ $case: 'ingest', value }, options).catch((error: unknown) => {
        throw blameUpload(error)
      })
      await files.remove(upload)
      return pieceOf(unread(nodeId), result)
    },

    async analyse({ stored }) {
      const result = await pool.run({ $case: 'analyse', value: { piece: stored } }, { deadlineSeconds: fileSeconds })
      const { beats, downbeats, metre, keyConfidence, sections } = result
      return { beats, downbeats, metre: metre ?? null, keyConfidence: keyConfidence ?? null, sections }
    },

    async generate(piece, { seconds, seed, prompt, generator: requested = 'auto', contextSeconds }, onProgress) {
      if (piece.isSilent) throw serviceError('invalid', 'The piece is silent: there is nothing to continue from.')
      const nodeId = newId()
      const model = await localModel(config)
      const generator = generatorFor(generatorNamed(requested), { mockGenerator: config.mockGenerator, model })
      requireLength(generator, seconds, model)
      const context = contextFor(generator, contextSeconds ?? null, model) ?? 0
      const value = {
        nodeId,
        path: [piece.stored],
        frames: Math.round(seconds * piece.sampleRate),
        contextFrames: Math.round(context * piece.sampleRate),
        prompt,
        seed,
        generator,
        model: generator === 'onnx' ? (config.model ?? null) : null,
        parentBpm: piece.bpm,
        otherTakes: [],
        input: null,
      }
      const options = { deadlineSeconds: DEADLINE_SECONDS, ...(onProgress && { onProgress }) }
      const result = await pool.run({ $case: 'continue', value }, options)
      const { promptHonored } = result
      const words = { promptHonored, promptIgnored: ignoredWords(prompt, promptHonored) }
      return { ...pieceOf(unread(nodeId), result), seed, generator, seam: seamOf(result), ...words }
    },

    async separate({ stored, seconds }, onProgress) {
      const folder = `${stemsFolder(stored.nodeId)}/${newId()}`
      const value = { piece: stored, folder, model: config.stemsModel ?? null }
      const options = { deadlineSeconds: separationSeconds(seconds), ...(onProgress && { onProgress }) }
      const { energyShares } = await pool.run({ $case: 'separate', value }, options)
      return stemNames.map((name, index) => ({
        name,
        energyShare: energyShares[index] ?? 0,
        stored: { ...stored, key: stemFile(folder, name) },
      }))
    },

    async encode(pieces, format) {
      const id = newId()
      const [folder, name] = [deliveryFolder(id), `audio.${format}`]
      const value = { pieces: [...pieces], folder, name, format, crossfadeFrames: 0, normalize: false }
      await pool.run({ $case: 'export', value }, { deadlineSeconds: fileSeconds })
      return join(directory, folder, name)
    },

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
