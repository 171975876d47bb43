import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createFileIngests } from './file-ingest.ts'
import { chunkOf, linesInAll, totalChunks } from './synthetic-file-for-tests.ts'

test('end() of a file resolves when all its batches are stored, in whatever order', async () => {
  const { promise: mayStoreFirst, resolve: storeFirst } = Promise.withResolvers<void>()
  const { promise: lastIsStored, resolve: lastStored } = Promise.withResolvers<void>()
  let entries = 0
  let isFirst = true
  await using files = createFileIngests({
    inFlightBytes: 64 * 1024 * 1024,
    idleMilliseconds: 0,
    analyses: false,
    store: async (buffer) => {
      const { count } = decodeBatch(buffer)
      const waits = isFirst
      isFirst = false
      if (waits) await mayStoreFirst
      entries += count
      if (entries + (waits ? 0 : 4_096) >= linesInAll) lastStored()
      return { entries: count, duplicates: 0 }
    },
    onRest: () => undefined,
    onFailure: (error) => {
      throw error
    },
  })
  const file = await files.open({ source: { sourceId: 'made', branch: null, tenantId: null }, reference: 0 })
  for (let chunk = 0; chunk < totalChunks; chunk++) await file.push(chunkOf(chunk))
  const ending = file.end()
  await lastIsStored
  storeFirst()
  expect((await ending).counts).toMatchObject({ lines: linesInAll, entries: linesInAll, duplicates: 0 })
})
