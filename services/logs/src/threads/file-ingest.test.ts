import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createFileIngests } from './file-ingest.ts'
import { chunkOf, linesInAll, totalChunks } from './made-lines.ts'

test('a file has ended when all of it is kept, also what is kept after its last lines', async () => {
  const { promise: mayKeepFirst, resolve: keepFirst } = Promise.withResolvers<void>()
  const { promise: lastIsKept, resolve: lastKept } = Promise.withResolvers<void>()
  let entries = 0
  let isFirst = true
  await using files = createFileIngests({
    inFlightBytes: 64 * 1024 * 1024,
    idleMilliseconds: 0,
    analyses: false,
    keep: async (buffer) => {
      const { count } = decodeBatch(buffer)
      const waits = isFirst
      isFirst = false
      if (waits) await mayKeepFirst
      entries += count
      if (entries + (waits ? 0 : 4_096) >= linesInAll) lastKept()
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
  await lastIsKept
  keepFirst()
  expect((await ending).counts).toMatchObject({ lines: linesInAll, entries: linesInAll, duplicates: 0 })
})
