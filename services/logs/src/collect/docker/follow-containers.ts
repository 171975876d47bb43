import { setTimeout as sleep } from 'node:timers/promises'
import { utc } from '../../formats/zone.ts'
import { createMerge } from '../../merge-sequences.ts'
import type { Batch, CollectRequest } from '../collector.ts'
import { sourcePart } from '../journald/journal-record.ts'
import { batchRecords, type ReadRecord } from '../records/record-batches.ts'
import { type LocalContainerEntry, unitSourceId } from '../source-entry.ts'
import { choosesContainer } from './chooses-container.ts'
import type { LogPosition } from './container-lines.ts'
import { type Container, type ContainerEngine, EngineFailed } from './engine.ts'
import { keyPrefix, positionOf, readContainer } from './read-container.ts'

export type Following = {
  engine: ContainerEngine
  now: () => number
  /** The maximum time and number of records between two batches of a container. */
  flush: { milliseconds: number; records: number }
  pollMilliseconds: number
}

/** Each container has a connection of its own; further containers are collected by runs. */
const maxFollowed = 1_000

/** Ends without an error when the signal aborts, so that records read before that are stored. */
async function* untilAborted(reads: AsyncIterable<ReadRecord>, signal: AbortSignal): AsyncGenerator<ReadRecord> {
  try {
    yield* reads
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Follows the containers of an engine, including those that are started meanwhile, until the signal aborts. A container that has ended is read
 * to its end once. A container that cannot be read is reported and tried again.
 */
export async function* followContainers(
  request: CollectRequest<LocalContainerEntry>,
  { engine, now, flush, pollMilliseconds }: Following,
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, onProblem } = request
  const ending = new AbortController()
  const signal = AbortSignal.any([request.signal, ending.signal])
  const isChosen = choosesContainer(source.containers)
  const merge = createMerge<Batch>()
  const positions = new Map<string, LogPosition | undefined>()
  const followed = new Set<string>()
  const readToEnd = new Set<string>()
  const reported = new Map<string, string>()

  const report = ({ id, name }: Container, problem: string) => {
    if (reported.get(id) !== problem) onProblem(`${name}: ${problem}`)
    reported.set(id, problem)
  }
  async function* batchesOf(container: Container): AsyncGenerator<Batch> {
    const { id, name } = container
    const stored = force || positions.has(id) ? undefined : await checkpoints.get(keyPrefix + id)
    const position = positions.get(id) ?? positionOf(stored)
    const sourceId = unitSourceId(source, sourcePart(name))
    // podman cuts off the log of a container that has ended if it is followed and read slowly.
    const follows = container.isRunning
    const reads = readContainer({ engine, container, sourceId, position, follows }, signal)
    const time = { zone: utc, reference: now() }
    try {
      for await (const batch of batchRecords(untilAborted(reads, signal), {
        source,
        time,
        now,
        flush,
      })) {
        if (batch.checkpoint) positions.set(id, positionOf(batch.checkpoint.state))
        yield batch
      }
      reported.delete(id)
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error
      report(container, error.message)
    } finally {
      followed.delete(id)
    }
  }
  const isNew = ({ id, isRunning }: Container): boolean => !followed.has(id) && (isRunning || !readToEnd.has(id))
  const poll = async () => {
    for (const container of (await engine.list(signal)).filter(isChosen).filter(isNew)) {
      if (followed.size >= maxFollowed) {
        report(container, `It is not followed, because ${maxFollowed} others are. Scheduled runs collect it.`)
        continue
      }
      followed.add(container.id)
      // A running container may write more before it ends, so it is read once more afterwards.
      if (container.isRunning) readToEnd.delete(container.id)
      else readToEnd.add(container.id)
      void merge.add(batchesOf(container))
    }
  }
  const polling = (async () => {
    try {
      while (!signal.aborted) {
        await poll()
        await sleep(pollMilliseconds, undefined, { signal, ref: false }).catch(() => undefined)
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
    ending.abort(new Error('The containers are no longer followed.'))
    await polling
  }
}
