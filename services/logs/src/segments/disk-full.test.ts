import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomFrom, runSeed } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { search } from '../search/search.ts'
import { createFreeSpaceCheck } from './disk-full.ts'
import { batchOf, openShardIn } from './store-for-tests.ts'

const mount = (options: string, directory: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'ignore' })

/** A disk of `bytes` bytes, if this user may mount one. */
const mountDisk = (bytes: number): (Disposable & { directory: string; grow: (bytes: number) => void }) | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-disk-'))
  try {
    mount(`size=${bytes}`, directory)
  } catch {
    rmSync(directory, { recursive: true })
    return undefined
  }
  return {
    directory,
    grow: (size) => mount(`remount,size=${size}`, directory),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['-l', directory])
      rmSync(directory, { recursive: true })
    },
  }
}
const canMount = (() => {
  using disk = mountDisk(65_536)
  return disk !== undefined
})()

const numbersIn = async (shard: Awaited<ReturnType<typeof openShardIn>>['shard']) => {
  const parts = shard.parts()
  try {
    const request = { query: null, filters: {}, limit: 10_000, order: 'oldest', withFacets: false } as const
    const { entries } = await search(parts, request, { domainOf: () => '' })
    return entries.map(({ entry }) => entry.sequence).toSorted((a, b) => a - b)
  } finally {
    for (const part of parts) part.release()
  }
}
/** Incompressible lines, the same for a number throughout a run. */
const batch = (number: number) => {
  const random = randomFrom(runSeed + number)
  return batchOf(
    Array.from({ length: 10 }, (_, line) => ({
      text: Array.from({ length: 100 }, () => random().toString(36).slice(2)).join(' '),
      sequence: number * 10 + line + 1,
      entryId: `${number}-${line}`,
    })),
  )
}

test.skipIf(!canMount)('a full disk is 503 with Retry-After, loses no acknowledged entry, and recovers', async () => {
  using disk = mountDisk(1024 * 1024)
  if (!disk) throw new Error('It could be mounted before.')
  let acknowledged = 0
  const limits = { documents: 40, textBytes: 4 * 1024 * 1024 }
  {
    await using opened = await openShardIn(disk.directory, limits)
    let refusal: unknown
    for (; refusal === undefined && acknowledged < 1_000; acknowledged++)
      await opened.shard.ingest(batch(acknowledged)).catch((error: unknown) => {
        refusal = error
      })
    acknowledged--
    expect(refusal).toMatchObject({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) })
    expect(acknowledged).toBeGreaterThan(5)
  }
  disk.grow(16 * 1024 * 1024)
  await using again = await openShardIn(disk.directory, limits)
  const stored = await numbersIn(again.shard)
  expect(stored.slice(0, acknowledged * 10)).toEqual(
    Array.from({ length: acknowledged * 10 }, (_, number) => number + 1),
  )
  const { entries, duplicates } = await again.shard.ingest(batch(acknowledged))
  expect(entries + duplicates).toBe(10)
  await again.shard.flush()
  expect(await numbersIn(again.shard)).toHaveLength(acknowledged * 10 + 10)
  expect(again.problems).toEqual([])
})

test.skipIf(!canMount)('while less than the reserved space is free, nothing more is accepted', async () => {
  using disk = mountDisk(1024 * 1024)
  if (!disk) throw new Error('It could be mounted before.')
  const { bavail, bsize } = statfsSync(disk.directory)
  const problems: string[] = []
  const checkOf = (bytes: number) =>
    createFreeSpaceCheck(disk.directory, bytes, (problem) => void problems.push(problem))
  await checkOf(bavail * bsize)()
  expect(problems).toEqual([])
  writeFileSync(join(disk.directory, 'something'), Buffer.alloc(64 * 1024))
  const check = checkOf(bavail * bsize)
  for (let time = 0; time < 2; time++) await expect(check()).rejects.toMatchObject({ kind: 'unavailable' })
  // Once, however many batches are refused.
  expect(problems).toEqual([expect.stringMatching(/less than 1 MiB free.*LOGS_RESERVED_MB.*nothing more is stored/)])
  await checkOf(0)()
})
