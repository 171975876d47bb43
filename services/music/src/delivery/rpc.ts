import { invalidField, serviceError } from '@trellis/kit/errors'
import { byteFrames, type Handlers } from '@trellis/kit/rpc'
import type { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { peaksOf } from '../audio/peaks.ts'
import { openStoredAudio } from '../audio/stored-audio.ts'
import { requireNode, requireReady, requireTree } from '../chains/access.ts'
import { spineOf } from '../chains/spine.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { type Deliveries, formatWord } from './export.ts'
import { wavContent } from './wav-content.ts'

type DeliveryHandlers = Pick<
  Handlers<typeof MusicServiceDefinition>,
  'getNodeAudio' | 'getNodePeaks' | 'getNodeSpectrogram' | 'exportChain'
>

const defaultPoints = 1000
const defaultSize = { width: 800, height: 128 }

const storedAudio = async ({ files }: Dependencies, chain: ChainRow, node: NodeRow) => {
  const key = nodeFile(node.id, 'samples')
  const info = await files.stat(key)
  if (!info) throw serviceError('not_found', "The node's audio no longer exists.")
  const source = {
    size: info.size,
    read: (offset: number, length: number) => files.readRange(key, { start: offset, end: offset + length }),
  }
  return openStoredAudio(source, { sampleRate: chain.sample_rate, channels: chain.channels })
}

/** A name without the ending of an audio file, which often comes from the name of an uploaded file. */
const withoutEnding = (name: string): string =>
  name.replace(/(?<=.)\.(wave?|mp3|flac|og[ga]|opus|m4a|mp4|aif[fc]?)$/i, '')

/** Rounds to three places: an outline needs no more, and its JSON is a third as long. */
const rounded = (values: readonly number[]): number[] => values.map((value) => Math.round(value * 1_000) / 1_000)

/** Handlers of audio: single nodes, their outlines, and the spine as one file. */
export const deliveryRpc = (dependencies: Dependencies, deliveries: Deliveries): DeliveryHandlers => ({
  async *getNodeAudio(request, { caller, signal }) {
    const { chain, node } = await requireNode(dependencies, caller, request)
    requireReady(node)
    const format = formatWord(request.format)
    if (format === 'wav')
      return yield* byteFrames(
        wavContent(dependencies, {
          chain,
          frames: node.frames,
          key: nodeFile(node.id, 'samples'),
          etag: `"${node.id}-${node.attempt}"`,
        }),
        request.range,
      )
    const parameters = { ownerId: node.id, chain, nodes: [node], format, crossfadeMs: 0, normalize: false }
    const { key, ...content } = await deliveries.audio(parameters, signal)
    yield* byteFrames({ ...content, read: (range) => dependencies.files.read(key, range) }, request.range)
  },

  async getNodePeaks({ points, ...request }, { caller }) {
    const { chain, node } = await requireNode(dependencies, caller, request)
    requireReady(node)
    const overview = await dependencies.files.readRange(nodeFile(node.id, 'overview'), {
      start: 0,
      end: Number.MAX_SAFE_INTEGER,
    })
    const requested = points ?? defaultPoints
    const { min, max } = await peaksOf(await storedAudio(dependencies, chain, node), overview, requested)
    return {
      points: requested,
      durationSeconds: node.frames / chain.sample_rate,
      min: rounded(min),
      max: rounded(max),
    }
  },

  async *getNodeSpectrogram({ start, end, width, height, ...request }, { caller, signal }) {
    const { chain, node } = await requireNode(dependencies, caller, request)
    requireReady(node)
    const frameAt = (seconds: number) => Math.min(node.frames, Math.round(seconds * chain.sample_rate))
    const stretch = { start: frameAt(start ?? 0), end: end == null ? node.frames : frameAt(end) }
    if (stretch.start >= stretch.end)
      throw invalidField(['query', 'start'], 'The stretch must begin before its end, and before the end of the node.')
    const size = { width: width ?? defaultSize.width, height: height ?? defaultSize.height }
    const { key, ...content } = await deliveries.picture({ chain, node, ...stretch, ...size }, signal)
    yield* byteFrames({ ...content, read: (range) => dependencies.files.read(key, range) }, undefined)
  },

  async *exportChain({ chainId, format, crossfadeMs, normalize, range }, { caller, signal }) {
    const { chain, nodes } = await requireTree(dependencies, caller, chainId)
    const word = formatWord(format)
    const parameters = {
      ownerId: chain.id,
      chain,
      nodes: spineOf(nodes),
      format: word,
      crossfadeMs: crossfadeMs ?? 0,
      normalize: normalize ?? false,
    }
    const { key, ...content } = await deliveries.audio(parameters, signal)
    const filename = `${withoutEnding(chain.name)}.${word}`
    yield* byteFrames({ ...content, filename, read: (part) => dependencies.files.read(key, part) }, range)
  },
})
