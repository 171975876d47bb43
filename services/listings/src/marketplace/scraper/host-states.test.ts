import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBusHostStates } from './bus-host-states.ts'
import { createHostGate } from './host-gate.ts'
import { createFileHostStates, createMemoryHostStates } from './host-states.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standings-test-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const signal = new AbortController().signal

const ways = {
  memory: () => createMemoryHostStates(),
  files: () => createFileHostStates(directory),
  'a bus': () => {
    const bus = createMemoryBus()
    return createBusHostStates(async () => bus)
  },
}

describe.each(Object.entries(ways))('host states in %s', (_kind, create) => {
  test('are stored separately for each host', async () => {
    const hostStates = create()
    await hostStates.change('a', (hostState) => {
      hostState.refusals = 2
    })
    expect(await hostStates.change('a', ({ refusals }) => refusals)).toBe(2)
    expect(await hostStates.change('b', ({ refusals }) => refusals)).toBe(0)
  })

  test('concurrent changes are serialized', async () => {
    const hostStates = create()
    const serialQueue = await Promise.all(
      Array.from({ length: 20 }, () => hostStates.change('a', (hostState) => ++hostState.refusals)),
    )
    expect(serialQueue.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })
})

test('gates with shared host states share one pace and every refusal', async () => {
  const pauses: number[] = []
  const gate = () =>
    createHostGate({
      gapMilliseconds: 1_000,
      hostStates: createFileHostStates(directory),
      clock: () => 50_000,
      sleep: async (milliseconds) => void pauses.push(milliseconds),
    })
  const [one, other] = [gate(), gate()]
  for (const each of [one, other, one]) await each.enter('site.test', signal)
  expect(pauses).toEqual([1_000, 2_000])
  await one.refused('site.test', 90)
  await expect(other.enter('site.test', signal)).rejects.toMatchObject({ reason: 'BreakerOpen', retryAfterSeconds: 90 })
})

test('a truncated file of a process that died counts as empty', async () => {
  const hostStates = createFileHostStates(directory)
  await hostStates.change('a', (hostState) => {
    hostState.refusals = 1
  })
  const [file = ''] = await readdir(directory)
  await writeFile(join(directory, file), '{"refus')
  expect(await hostStates.change('a', ({ refusals }) => refusals)).toBe(0)
})
