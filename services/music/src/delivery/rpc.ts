import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Caller, Handlers } from '@trellis/kit/rpc'
import type { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { peaksOf } from '../audio/peaks.ts'
import { openStoredAudio } from '../audio/stored-audio.ts'
import { requireNode, requireReady, requireTree } from '../chains/access.ts'
import { spineOf } from '../chains/spine.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { type Deliveries, formatWord } from './export.ts'
import { explainMissing, sendFile } from './send.ts'
import { wavContent } from './wav-content.ts'

type DeliveryHandlers = Pick<
  Handlers<typeof MusicServiceDefinition>,
  'getNodeAudio' | 'getNodePeaks' | 'getNodeSpectrogram' | 'exportChain'
>

const defaultPoints = 1000
const defaultSize = { width: 800, height: 128 }

/** Throws if nodes of the spine, or the whole chain, were deleted. */
const requireSpine = async (
  dependencies: Dependencies,
  caller: Caller,
  { chain, spine }: { chain: ChainRow; spine: readonly NodeRow[] },
): Promise<void> => {
  const { nodes } = await requireTree(dependencies, caller, chain.id)
  if (spine.every(({ id }) => nodes.some((node) => node.id === id))) return
  throw serviceError('unavailable', 'Nodes of the spine were deleted before the file was written. Try again.', {
    retryAfterSeconds: 1,
  })
}

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

/** The lowest and highest sample of each of `points` stretches of a node. */
const outline = async (dependencies: Dependencies, chain: ChainRow, node: NodeRow, points: number) => {
  const whole = { start: 0, end: Number.MAX_SAFE_INTEGER }
  const overview = await dependencies.files.readRange(nodeFile(node.id, 'overview'), whole)
  return peaksOf(await storedAudio(dependencies, chain, node), overview, points)
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
    const stored = {
      chain,
      frames: node.frames,
      key: nodeFile(node.id, 'samples'),
      etag: `"${node.id}-${node.attempt}"`,
    }
    const written = { ownerId: node.id, chain, nodes: [node], format, crossfadeMs: 0, normalize: false }
    yield* sendFile({
      open: async () => (format === 'wav' ? wavContent(dependencies, stored) : deliveries.audio(written, signal)),
      range: request.range,
      checkDeletion: () => requireNode(dependencies, caller, request),
    })
  },

  async getNodePeaks({ points, ...request }, { caller }) {
    const { chain, node } = await requireNode(dependencies, caller, request)
    requireReady(node)
    const requested = points ?? defaultPoints
    const { min, max } = await outline(dependencies, chain, node, requested).catch(async (error: unknown) => {
      throw await explainMissing(error, () => requireNode(dependencies, caller, request))
    })
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
    yield* sendFile({
      open: () => deliveries.picture({ chain, node, ...stretch, ...size }, signal),
      checkDeletion: () => requireNode(dependencies, caller, request),
    })
  },

  async *exportChain({ chainId, format, crossfadeMs, normalize, range }, { caller, signal }) {
    const { chain, nodes } = await requireTree(dependencies, caller, chainId)
    const word = formatWord(format)
    const spine = spineOf(nodes)
    const parameters = {
      ownerId: chain.id,
      chain,
      nodes: spine,
      format: word,
      crossfadeMs: crossfadeMs ?? 0,
      normalize: normalize ?? false,
    }
    const filename = `${withoutEnding(chain.name)}.${word}`
    yield* sendFile({
      open: async () => ({ ...(await deliveries.audio(parameters, signal)), filename }),
      range,
      checkDeletion: () => requireSpine(dependencies, caller, { chain, spine }),
    })
  },
})
