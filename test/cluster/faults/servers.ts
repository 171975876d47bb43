import { expect, test } from 'vitest'
import { followEvents } from '../../support/resuming-events.ts'
import {
  minutes,
  numbered,
  search,
  searchByHttp,
  type Testbed,
  untilEnded,
  untilObject,
  untilReady,
  untilStatus,
} from './testbed.ts'

export const serverFaults = (testbed: () => Testbed): void => {
  const updates = (session: string) => `${testbed().origin}/listings/api/updates/${session}`

  test(
    'searches survive a restart of NATS and Postgres, and followers get each event exactly once',
    async () => {
      const { namespace, marketplace, ledger } = testbed()
      const names = numbered('restart', 5)
      marketplace.hold()
      await namespace.apply(...names.map(search))
      const session = await searchByHttp(testbed())
      await using following = followEvents(updates(session))
      const name = await untilObject(testbed(), session)
      await untilStatus(testbed(), name, { phase: 'Running' })
      await namespace.kubectl('delete', 'pod', 'trellis-nats-0', 'trellis-postgres-0', '--wait=false')
      // Workers continue, and more Searches arrive, while both servers stop and are down.
      marketplace.release()
      const later = numbered('later', 3)
      await namespace.apply(...later.map(search))
      const all = [...names, ...later, name]
      expect(await untilEnded(testbed(), all)).toEqual(all.map(() => 'Complete: Finished'))
      await expect.poll(() => following.events.at(-1)?.event, { timeout: minutes }).toBe('done')
      const reported = following.events.map(({ event }) => event)
      expect(reported.filter((event) => event === 'listings')).toHaveLength(1)
      expect(reported.filter((event) => event === 'done')).toHaveLength(1)
      expect(new Set(following.events.map(({ id }) => id)).size).toBe(following.events.length)
      expect(ledger.broken()).toEqual([])
      await untilReady(testbed())
      // Postgres shut down in time and was not killed.
      expect(await namespace.kubectl('logs', 'trellis-postgres-0')).toContain('database system was shut down at')
    },
    5 * minutes,
  )
}
