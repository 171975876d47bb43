import { expect, test } from 'vitest'
import { followEvents } from '../../support/resuming-events.ts'
import {
  minutes,
  numbered,
  search,
  searchByHttp,
  untilEnded,
  untilObject,
  untilReady,
  untilStatus,
  type World,
} from './world.ts'

export const serverFaults = (world: () => World): void => {
  const updates = (session: string) => `${world().origin}/listings/api/updates/${session}`

  test(
    'NATS and Postgres begin anew in the middle of searches: all are done, and whoever follows one misses and repeats nothing',
    async () => {
      const { namespace, marketplace, ledger } = world()
      const names = numbered('anew', 5)
      marketplace.hold()
      await namespace.apply(...names.map(search))
      const session = await searchByHttp(world())
      await using following = followEvents(updates(session))
      const name = await untilObject(world(), session)
      await untilStatus(world(), name, { phase: 'Running' })
      await namespace.kubectl('delete', 'pod', 'trellis-nats-0', 'trellis-postgres-0', '--wait=false')
      // Workers go on at once, and more is asked for, while both go and are away.
      marketplace.release()
      const later = numbered('later', 3)
      await namespace.apply(...later.map(search))
      const all = [...names, ...later, name]
      expect(await untilEnded(world(), all)).toEqual(all.map(() => 'Complete: Finished'))
      await expect.poll(() => following.events.at(-1)?.event, { timeout: minutes }).toBe('done')
      const told = following.events.map(({ event }) => event)
      expect(told.filter((event) => event === 'listings')).toHaveLength(1)
      expect(told.filter((event) => event === 'done')).toHaveLength(1)
      expect(new Set(following.events.map(({ id }) => id)).size).toBe(following.events.length)
      expect(ledger.broken()).toEqual([])
      await untilReady(world())
      // Postgres was not killed for taking too long to end.
      expect(await namespace.kubectl('logs', 'trellis-postgres-0')).toContain('database system was shut down at')
    },
    5 * minutes,
  )
}
