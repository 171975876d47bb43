import { setTimeout as sleep } from 'node:timers/promises'
import { utc } from '../../formats/zone.ts'
import { createMerge } from '../../merge-sequences.ts'
import type { Batch, CollectRequest } from '../collector.ts'
import { sourcePart } from '../journald/journal-record.ts'
import { batchRecords, type ReadRecord } from '../records/record-batches.ts'
import { type LocalContainerEntry, unitSourceId } from '../source-entry.ts'
import { choosesContainer } from './chooses-container.ts'
import type { Place } from './container-lines.ts'
import { type Container, type ContainerEngine, EngineFailed } from './engine.ts'
import { keyPrefix, placeOf, readContainer } from './read-container.ts'

export type Following = {
  engine: ContainerEngine
  now: () => number
  /** A batch of each container after so long or so many. */
  flush: { milliseconds: number; records: number }
  lookMilliseconds: number
}

/** Each has a connection of its own; those beyond are collected by runs. */
const maxFollowed = 1_000

/** What was read when it is told to end is kept. */
async function* untilAborted(reads: AsyncIterable<ReadRecord>, signal: AbortSignal): AsyncGenerator<ReadRecord> {
  try {
    yield* reads
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Follows the containers of an engine, those that are started meanwhile, too, until the signal aborts. One that has ended is read to its end
 * once. One that cannot be read is a problem of its own, and is tried again.
 */
export async function* followContainers(
  request: CollectRequest<LocalContainerEntry>,
  { engine, now, flush, lookMilliseconds }: Following,
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, onProblem } = request
  const ending = new AbortController()
  const signal = AbortSignal.any([request.signal, ending.signal])
  const isChosen = choosesContainer(source.containers)
  const merge = createMerge<Batch>()
  const places = new Map<string, Place | undefined>()
  const followed = new Set<string>()
  const readToEnd = new Set<string>()
  const told = new Map<string, string>()

  const tell = ({ id, name }: Container, problem: string) => {
    if (told.get(id) !== problem) onProblem(`${name}: ${problem}`)
    told.set(id, problem)
  }
  async function* batchesOf(container: Container): AsyncGenerator<Batch> {
    const { id, name } = container
    const stored = force || places.has(id) ? undefined : await checkpoints.get(keyPrefix + id)
    const place = places.get(id) ?? placeOf(stored)
    const sourceId = unitSourceId(source, sourcePart(name))
    const reads = readContainer({ engine, container, sourceId, place, follows: true }, signal)
    const time = { zone: utc, reference: now() }
    try {
      for await (const batch of batchRecords(untilAborted(reads, signal), {
        tenantId: source.tenantId,
        time,
        now,
        flush,
      })) {
        if (batch.checkpoint) places.set(id, placeOf(batch.checkpoint.state))
        yield batch
      }
      told.delete(id)
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error
      tell(container, error.message)
    } finally {
      followed.delete(id)
    }
  }
  const isNew = ({ id, isRunning }: Container): boolean => !followed.has(id) && (isRunning || !readToEnd.has(id))
  const look = async () => {
    for (const container of (await engine.list(signal)).filter(isChosen).filter(isNew)) {
      if (followed.size >= maxFollowed) {
        tell(container, `It is not followed: ${maxFollowed} others are. Runs collect it.`)
        continue
      }
      followed.add(container.id)
      // One that is running may say more before it has ended: it is looked at once more then.
      if (container.isRunning) readToEnd.delete(container.id)
      else readToEnd.add(container.id)
      void merge.add(batchesOf(container))
    }
  }
  const looking = (async () => {
    try {
      while (!signal.aborted) {
        await look()
        await sleep(lookMilliseconds, undefined, { signal, ref: false }).catch(() => undefined)
      }
    } catch (error) {
      if (!signal.aborted) merge.fail(error)
    } finally {
      merge.close()
    }
  })()
  try {
    yield* merge.items()
  } finally {
    ending.abort(new Error('Nobody follows any more.'))
    await looking
  }
}
