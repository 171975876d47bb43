import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Foundations } from './store-for-tests.ts'

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index} of many`, sequence: from + index + 1 }))

const entriesIn = (shard: Shard): number => {
  const parts = shard.parts()
  for (const part of parts) part.release()
  return parts.reduce((sum, { documents }) => sum + documents, 0)
}

const small = { documents: 64 }

/**
 * A folder whose log has three batches of 40 lines. With `small` limits the replay seals the second of them while it indexes the third,
 * at which `openFailing` fails. The write of that segment, or the change of the catalogue that adds it, is held until `release`.
 */
const createReplayed = async (held: 'write' | 'change') => {
  const folder = await createShardFolder()
  {
    await using opened = await folder.open({ documents: 1_000 })
    for (const batch of [0, 1, 2]) await opened.shard.ingest(batchOf(lines(40, batch * 40)))
  }
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const { promise: hasFailed, resolve: fail } = Promise.withResolvers<void>()
  const calls = { write: 0, change: 0, idsOf: 0 }
  const reached = async (call: 'write' | 'change') => {
    if (++calls[call] !== 2 || call !== held) return
    reach()
    await isReleased
  }
  const failing = ({ files, catalogue, ...others }: Foundations): Foundations => ({
    ...others,
    files: {
      ...files,
      write: async (...parameters) => {
        await reached('write')
        return files.write(...parameters)
      },
    },
    catalogue: {
      ...catalogue,
      change: async (change) => {
        await reached('change')
        return catalogue.change(change)
      },
    },
    templates: {
      idsOf: async (shapes) => {
        if (++calls.idsOf < 3) return shapes.map(() => '')
        await isReached
        fail()
        throw new Error('database is locked')
      },
    },
  })
  return {
    ...folder,
    openFailing: () => folder.open(small, failing),
    hasFailed,
    release,
  }
}

test.each(['write', 'change'] as const)(
  'a failed open waits for a segment that is being sealed before it rejects: held %s',
  async (held) => {
    await using folder = await createReplayed(held)
    let isOver = false
    const failed = folder
      .openFailing()
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true
      })
    await folder.hasFailed
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    expect(isOver).toBe(false)
    folder.release()
    expect(await failed).toMatchObject({ message: 'database is locked' })
    for (const _ of ['at once', 'after a restart']) {
      await using again = await folder.open(small)
      expect(entriesIn(again.shard)).toBe(120)
      expect(again.problems).toEqual([])
    }
  },
)
