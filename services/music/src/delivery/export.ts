import { createHash } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { ByteRange } from '@trellis/kit/files'
import type { ByteContent } from '@trellis/kit/rpc'
import type { AudioFormat } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { deliveryFolder } from '../audio/files-layout.ts'
import { newId } from '../chains/ids.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { runTask } from '../worker/run-task.ts'
import { createSharedWrites } from './shared-writes.ts'

export type DeliveryFormat = keyof typeof mediaTypes

/** Parameters of an audio file for download. */
export type AudioParameters = {
  /** The node or chain of the file, which it is removed with. */
  readonly ownerId: string
  readonly chain: ChainRow
  readonly nodes: readonly NodeRow[]
  /** Stored samples to write instead of those of the nodes. */
  readonly source?: { readonly name: string; readonly key: string }
  readonly format: DeliveryFormat
  readonly crossfadeMs: number
  readonly normalize: boolean
}

export const mediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg', flac: 'audio/flac' } as const

const formatWords: Partial<Record<AudioFormat, DeliveryFormat>> = { AUDIO_FORMAT_MP3: 'mp3', AUDIO_FORMAT_FLAC: 'flac' }

/** The formats as words. */
export const formatWord = (format: AudioFormat): DeliveryFormat => formatWords[format] ?? 'wav'

const exportSeconds = 600
/** Number of files retained per owner and source, so that repeated requests are served at once. */
const retainedDeliveries = 3
const retainedPictures = 64
/** A file of at most this age is not displaced: it may be about to be sent. */
const graceMilliseconds = 60_000

/** Digest of what determines a file, which names it. */
const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

const digestOf = ({ nodes, source, format, crossfadeMs, normalize }: AudioParameters): string =>
  digest([
    nodes.map(({ id, attempt }) => [id, attempt]),
    format,
    crossfadeMs,
    normalize,
    ...(source ? [source.key] : []),
  ])

const pieceOf = (chain: ChainRow, { id }: NodeRow, key: string | null = null) => ({
  nodeId: id,
  key,
  sampleRate: chain.sample_rate,
  channels: chain.channels,
})

/** A picture of a node's frequencies: its stretch in frames, and its size in pixels. */
export type PictureParameters = {
  readonly chain: ChainRow
  readonly node: NodeRow
  readonly start: number
  readonly end: number
  readonly width: number
  readonly height: number
}

const pictureSeconds = 60
const pictureName = 'spectrogram.png'

const digestOfPicture = ({ node, start, end, width, height }: PictureParameters): string =>
  digest([node.id, node.attempt, start, end, width, height])

/** A file that is to be written: its folder and name, the prefix of the folders of files that it may displace, and its task. */
type Written = {
  readonly prefix: string
  readonly folder: string
  readonly name: string
  readonly user: string
  readonly task: NonNullable<AudioTask['task']>
  readonly deadlineSeconds: number
}

/** Files of different sources do not displace each other: a download of one stem leaves the others. */
const prefixOf = ({ ownerId, source }: Pick<AudioParameters, 'ownerId' | 'source'>): string =>
  `${deliveryFolder(ownerId)}/${source ? `${source.name}-` : ''}`

/** Whether a key lies in a folder of this prefix: those of sources have longer ones. */
const isOf = (prefix: string, key: string): boolean => /^[0-9a-f]{32}\//.test(key.slice(prefix.length))

/** Writes files for download. Concurrent requests for the same file share one write, which is cancelled when all have left. */
export const createDeliveries = (dependencies: Dependencies) => {
  const { bus, config, localWorkloads, files, now } = dependencies
  const writeOnce = createSharedWrites({ perUser: config.userExports, ending: dependencies.signal })

  /** Removes files that `written` displaces, the oldest first. S3 reports their times in whole seconds, so `written` may not seem to be the newest. */
  const prune = async (prefix: string, written: string): Promise<void> => {
    const isPicture = written.endsWith(pictureName)
    const others: { key: string; modifiedAt: number }[] = []
    for await (const { key, modifiedAt } of files.list(prefix))
      if (key !== written && isOf(prefix, key) && key.endsWith(pictureName) === isPicture)
        others.push({ key, modifiedAt: modifiedAt.getTime() })
    others.sort((a, b) => b.modifiedAt - a.modifiedAt)
    const displaced = others.slice((isPicture ? retainedPictures : retainedDeliveries) - 1)
    for (const { key, modifiedAt } of displaced)
      if (modifiedAt < now().getTime() - graceMilliseconds) await files.remove(key)
  }

  /** The content of the file, which is written if it is missing. */
  const present = async ({ prefix, folder, name, user, task, deadlineSeconds }: Written, signal: AbortSignal) => {
    const key = `${folder}/${name}`
    if (!(await files.stat(key))) {
      const write = async (stop: AbortSignal) => {
        const run = { runId: `export-${newId()}`, task, deadlineSeconds, user }
        await runTask({ bus, workloads: localWorkloads }, run, stop)
      }
      await writeOnce({ key, userId: user, signal, write })
      await prune(prefix, key)
    }
    const info = await files.stat(key)
    if (info) return { size: info.size, read: (range: Required<ByteRange>) => files.read(key, range) }
    throw serviceError('unavailable', 'The file was removed before it could be sent. Try again.', {
      retryAfterSeconds: 1,
    })
  }

  return {
    /** The audio of nodes as one file. */
    async audio(parameters: AudioParameters, signal: AbortSignal): Promise<ByteContent> {
      const { chain, nodes, source, format, crossfadeMs, normalize } = parameters
      const id = digestOf(parameters)
      // A separate folder, since a folder has one writer.
      const prefix = prefixOf(parameters)
      const folder = `${prefix}${id}`
      const name = `audio.${format}`
      const pieces = nodes.map((node) => pieceOf(chain, node, source?.key))
      const crossfadeFrames = Math.round((crossfadeMs / 1000) * chain.sample_rate)
      const task = { $case: 'export', value: { pieces, folder, name, format, crossfadeFrames, normalize } } as const
      const file = { prefix, folder, name, user: chain.user_id, task, deadlineSeconds: exportSeconds }
      return { ...(await present(file, signal)), mediaType: mediaTypes[format], etag: `"${id}"` }
    },

    /** A picture of the frequencies of a node. */
    async picture(parameters: PictureParameters, signal: AbortSignal): Promise<ByteContent> {
      const { chain, node, start, end, width, height } = parameters
      const id = digestOfPicture(parameters)
      const prefix = prefixOf({ ownerId: node.id })
      const place = { folder: `${prefix}${id}`, name: pictureName }
      const value = { piece: pieceOf(chain, node), startFrame: start, endFrame: end, width, height, ...place }
      const task = { $case: 'spectrogram', value } as const
      const file = { prefix, ...place, user: chain.user_id, task, deadlineSeconds: pictureSeconds }
      return { ...(await present(file, signal)), mediaType: 'image/png', etag: `"${id}"` }
    },
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
