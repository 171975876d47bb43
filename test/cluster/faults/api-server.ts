import { expect, test } from 'vitest'
import { runsFactor } from '../../support/exploration.ts'
import { followEvents } from '../../support/resuming-events.ts'
import { processOfApiServer } from '../support/node-processes.ts'
import { minutes, searchByHttp, seconds, type Testbed, untilObject, untilReady, untilStatus } from './testbed.ts'

/** Seconds, longer than the duration of the operator's Lease; a minute with TEST_RUNS_FACTOR above 1. */
const away = runsFactor > 1 ? 60 : 25

export const apiServerFaults = (testbed: () => Testbed): void => {
  const updates = (session: string) => `${testbed().origin}/listings/api/updates/${session}`

  test(
    `an API server outage of ${away} s does not stop streams; new requests get 503 until it ends`,
    async () => {
      const { origin, marketplace, ledger } = testbed()
      const apiServer = await processOfApiServer()
      if (!apiServer) throw new Error('The API server is not on this machine.')
      marketplace.hold()
      const session = await searchByHttp(testbed())
      await using following = followEvents(updates(session))
      const name = await untilObject(testbed(), session)
      await untilStatus(testbed(), name, { phase: 'Running' })
      const stoppedAt = performance.now()
      apiServer.signal('SIGSTOP')
      try {
        marketplace.release()
        await expect.poll(() => following.events.at(-1)?.event, { timeout: 30 * seconds }).toBe('done')
        expect(following.events.some(({ event }) => event === 'listings')).toBe(true)
        const refused = await fetch(`${origin}/listings/api/search?q=camera`)
        expect(refused.status).toBe(503)
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(await refused.json()).toMatchObject({ detail: expect.any(String) })
        await new Promise((resolve) => setTimeout(resolve, away * seconds - (performance.now() - stoppedAt)))
      } finally {
        apiServer.signal('SIGCONT')
      }
      await untilStatus(testbed(), name, { phase: 'Complete' })
      await expect
        .poll(async () => (await fetch(`${origin}/listings/api/search?q=lens`)).status, {
          timeout: 2 * minutes,
          interval: seconds,
        })
        .toBe(200)
      expect(following.events.filter(({ event }) => event === 'done')).toHaveLength(1)
      expect(ledger.broken()).toEqual([])
      await untilReady(testbed())
    },
    6 * minutes,
  )
}
