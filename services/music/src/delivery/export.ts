import { createHash } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { AudioFormat } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { deliveryFolder } from '../audio/files-layout.ts'
import { newId } from '../chains/ids.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { runTask } from '../worker/run-task.ts'
import { createSharedWrites } from './shared-writes.ts'

export type DeliveryFormat = keyof typeof mediaTypes

/** Parameters of a file for download. */
export type Order = {
  /** The node or chain of the file, which it is removed with. */
  readonly ownerId: string
  readonly chain: ChainRow
  readonly nodes: readonly NodeRow[]
  readonly format: DeliveryFormat
  readonly crossfadeMs: number
  readonly normalize: boolean
}

/** A file that is ready for download. */
export type Delivery = {
  readonly key: string
  readonly size: number
  readonly mediaType: string
  readonly etag: string
}

export const mediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg', flac: 'audio/flac' } as const

const formatWords: Partial<Record<AudioFormat, DeliveryFormat>> = { AUDIO_FORMAT_MP3: 'mp3', AUDIO_FORMAT_FLAC: 'flac' }

/** The formats as words. */
export const formatWord = (format: AudioFormat): DeliveryFormat => formatWords[format] ?? 'wav'

const exportSeconds = 600
/** Number of files retained per owner, so that repeated requests are served at once. */
const retainedDeliveries = 3

/** Digest of an order and its audio, which names the file. */
const digestOf = ({ nodes, format, crossfadeMs, normalize }: Order): string =>
  createHash('sha256')
    .update(JSON.stringify([nodes.map(({ id, attempt }) => [id, attempt]), format, crossfadeMs, normalize]))
    .digest('hex')
    .slice(0, 32)

/** Writes files for download. Concurrent requests for the same file share one write, which is cancelled when all have left. */
export const createDeliveries = (dependencies: Dependencies) => {
  const { bus, config, localWorkloads, files } = dependencies
  const writeOnce = createSharedWrites({ perUser: config.userExports, ending: dependencies.signal })

  const write = async (order: Order, folder: string, name: string, signal: AbortSignal): Promise<void> => {
    const { chain, nodes, format, crossfadeMs, normalize } = order
    const pieces = nodes.map(({ id }) => ({ nodeId: id, sampleRate: chain.sample_rate, channels: chain.channels }))
    const crossfadeFrames = Math.round((crossfadeMs / 1000) * chain.sample_rate)
    const task = { $case: 'export', value: { pieces, folder, name, format, crossfadeFrames, normalize } } as const
    const run = { runId: `export-${newId()}`, task, deadlineSeconds: exportSeconds, user: chain.user_id }
    await runTask({ bus, workloads: localWorkloads }, run, signal)
  }

  const prune = async (ownerId: string): Promise<void> => {
    const found: { key: string; modifiedAt: Date }[] = []
    for await (const { key, modifiedAt } of files.list(`${deliveryFolder(ownerId)}/`)) found.push({ key, modifiedAt })
    found.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime())
    for (const { key } of found.slice(retainedDeliveries)) await files.remove(key)
  }

  return async (order: Order, signal: AbortSignal): Promise<Delivery> => {
    const digest = digestOf(order)
    // A separate folder, since a folder has one writer.
    const folder = `${deliveryFolder(order.ownerId)}/${digest}`
    const name = `audio.${order.format}`
    const key = `${folder}/${name}`
    if (!(await files.stat(key))) {
      const { user_id: userId } = order.chain
      await writeOnce({ key, userId, signal, write: (stop) => write(order, folder, name, stop) })
      await prune(order.ownerId)
    }
    const info = await files.stat(key)
    if (!info)
      throw serviceError('unavailable', 'The file was removed before it could be sent. Try again.', {
        retryAfterSeconds: 1,
      })
    return { key, size: info.size, mediaType: mediaTypes[order.format], etag: `"${digest}"` }
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
