import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { receiveBatch } from './glean-batch.ts'
import { createPressure } from './pressure.ts'

const batch = gzipSync(
  JSON.stringify({ entries: Array.from({ length: 5_000 }, (_, index) => ({ message: `${index}` })) }),
)

/** An intake with a memory budget of one batch, and the sizes of the bodies that its engine received. */
const openIntake = () => {
  const pressure = createPressure(1)
  const taken: number[] = []
  const intake = {
    pressure,
    now: () => 0,
    owner: undefined,
    pseudonymKey: undefined,
    config: { maxBatchMegabytes: 1 },
    engine: {
      ingestPushed: async (body: Uint8Array) => {
        taken.push(body.length)
        return { entries: 1, duplicates: 0, rejected: [] }
      },
    },
  } as unknown as Parameters<typeof receiveBatch>[0]
  const send = (content: AsyncIterable<Uint8Array>) =>
    receiveBatch(intake, { sourceId: null, contentEncoding: 'gzip' } as Parameters<typeof receiveBatch>[1], content)
  return { pressure, taken, send }
}

async function* whole() {
  yield batch
}

async function* reset() {
  yield batch.subarray(0, batch.length / 2)
  throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
}

describe('receiving a gzip batch', () => {
  test('a connection that is reset fails the batch with its error, stores nothing and releases its memory', async () => {
    const { pressure, taken, send } = openIntake()
    await expect(send(reset())).rejects.toThrow('aborted')
    expect(taken).toEqual([])
    using other = pressure.begin()
    expect(() => other.hold(2)).not.toThrow()
  })

  test('a whole batch is stored', async () => {
    const { taken, send } = openIntake()
    await send(whole())
    expect(taken).toHaveLength(1)
  })
})
