import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom, runSeed, runs } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { expect, test } from 'vitest'
import { createShardFolder, type OpenedShard } from './store-for-tests.ts'

const kills = runs(8)

// A run with the same seed kills after the same acknowledgements, though never at exactly the same instruction.
const victim = await modulePath('services/logs/src/segments/kill-victim.ts')

/** Lets a process ingest batches from line `from` on, kills it at a random moment after some acknowledgements, and returns the last one. */
const killOne = async (directory: string, from: number, random: () => number): Promise<number> => {
  const child = spawn(process.execPath, [victim, directory, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const killAfter = from + 1 + Math.floor(random() * 200)
  let acknowledged = from
  let killed: Promise<void> | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    // A random delay, so that the kill does not always follow an acknowledgement.
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

test(`a shard killed at ${kills} random moments has every acknowledged line once and needs no repair`, {
  timeout: Math.max(900_000, kills * 9_000),
}, async () => {
  await using folder = await createShardFolder()
  const random = randomFrom(runSeed)
  let stored = 0
  for (let round = 1; round <= kills; round += 1) {
    const acknowledged = await killOne(folder.directory, stored, random)
    await using opened = await folder.open()
    stored = await count(opened)
    // Lines are numbered without gaps and each is sent once, so equal counts mean equal lines, unless one were lost and another duplicated.
    expect(stored, `kill ${round}, seed ${runSeed}`).toBeGreaterThanOrEqual(acknowledged)
    expect(stored - acknowledged, `kill ${round}, seed ${runSeed}`).toBeLessThanOrEqual(2 * 7)
    expect(opened.problems).toEqual([])
  }
  await using opened = await folder.open()
  const numbers = new Set<number>()
  for (const part of opened.shard.parts()) {
    for (let document = 0; document < part.documents; document += 1) numbers.add((await part.entry(document)).sequence)
    part.release()
  }
  expect(numbers.size).toBe(stored)
  expect(Math.max(...numbers)).toBe(stored)
})
