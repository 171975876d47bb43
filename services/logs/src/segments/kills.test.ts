import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom, runSeed, runs } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { expect, test } from 'vitest'
import { createShardFolder, type OpenedShard } from './store-for-tests.ts'

const kills = runs(8)

// A run with the same seed kills after the same acknowledgements, though never at quite the same instruction.
const victim = await modulePath('services/logs/src/segments/kill-victim.ts')

/** Lets a process take batches, from line `from` on, and kills it at some moment after some acknowledgements; gives the last of them. */
const killOne = async (directory: string, from: number, random: () => number): Promise<number> => {
  const child = spawn(process.execPath, [victim, directory, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const killAfter = from + 1 + Math.floor(random() * 200)
  let acknowledged = from
  let killed: Promise<void> | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    // A few milliseconds more, so that it is not always the moment after an acknowledgement.
    if (acknowledged >= killAfter) killed ??= pause(random() * 15).then(() => void child.kill('SIGKILL'))
  }
  await killed
  await exited
  expect(child.signalCode).toBe('SIGKILL')
  return acknowledged
}

const count = async ({ shard }: OpenedShard): Promise<number> => {
  const parts = shard.parts()
  try {
    return parts.reduce((sum, part) => sum + part.documents, 0)
  } finally {
    for (const part of parts) part.release()
  }
}

test(`killed at ${kills} random moments of ingest and compaction it has every acknowledged line once, and needs no repair`, {
  timeout: Math.max(900_000, kills * 9_000),
}, async () => {
  await using folder = await createShardFolder()
  const random = randomFrom(runSeed)
  let kept = 0
  for (let round = 1; round <= kills; round += 1) {
    const acknowledged = await killOne(folder.directory, kept, random)
    await using opened = await folder.open()
    kept = await count(opened)
    // Lines are numbered without gaps and each is sent once: as many as were acknowledged means those, unless one were lost and another twice.
    expect(kept, `kill ${round}, seed ${runSeed}`).toBeGreaterThanOrEqual(acknowledged)
    expect(kept - acknowledged, `kill ${round}, seed ${runSeed}`).toBeLessThanOrEqual(2 * 7)
    expect(opened.problems).toEqual([])
  }
  await using opened = await folder.open()
  const numbers = new Set<number>()
  for (const part of opened.shard.parts()) {
    for (let document = 0; document < part.documents; document += 1) numbers.add((await part.entry(document)).sequence)
    part.release()
  }
  expect(numbers.size).toBe(kept)
  expect(Math.max(...numbers)).toBe(kept)
})
