import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runsFactor, sample } from '../../support/exploration.ts'
import {
  minutes,
  numbered,
  search,
  searchByHttp,
  seconds,
  type Testbed,
  untilEnded,
  untilObject,
  untilReady,
} from './testbed.ts'

/**
 * TEST_RUNS_FACTOR above 1 enables the full test: as many runs, and outages as long, as in a failure that was once observed. Otherwise the seed
 * of the run draws one server.
 */
const isWhole = runsFactor > 1
const runs = isWhole ? 53 : 6

const outages = [
  ['Postgres', 'trellis-postgres', isWhole ? 90 : 25],
  ['NATS', 'trellis-nats', isWhole ? 40 : 15],
] as const

export const outageFaults = (testbed: () => Testbed): void => {
  test.each(sample(outages, 1, 'outages'))(
    `%s outage amid ${runs} runs: no run fails or has two workers`,
    async (_server, set, away) => {
      const { namespace, marketplace, ledger } = testbed()
      const kubectl = namespace.kubectl
      const name = set.replace('trellis-', 'no-')
      const [atWork, begun, later] = [`${name}-at-work`, `${name}-begun`, `${name}-later`].map((each) =>
        numbered(each, Math.floor(runs / 3)),
      ) as [string[], string[], string[]]
      marketplace.hold()
      await namespace.apply(...atWork.map(search))
      await expect.poll(() => marketplace.waiting, { timeout: 2 * minutes }).toBeGreaterThan(0)
      const followed = await Promise.all([searchByHttp(testbed()), searchByHttp(testbed())])
      const objects = await Promise.all(followed.map((session) => untilObject(testbed(), session)))
      // Some runs are in progress, some start just now, and some are requested during the outage.
      await namespace.apply(...begun.map(search))
      await kubectl('scale', `statefulset/${set}`, '--replicas=0')
      await kubectl('wait', '--for=delete', `pod/${set}-0`, '--timeout=60s')
      marketplace.release()
      await namespace.apply(...later.map(search))
      await sleep(away * seconds)
      await kubectl('scale', `statefulset/${set}`, '--replicas=1')
      const all = [...atWork, ...begun, ...later, ...objects]
      expect(await untilEnded(testbed(), all)).toEqual(all.map(() => 'Complete: Finished'))
      expect(ledger.broken()).toEqual([])
      await untilReady(testbed())
    },
    8 * minutes,
  )
}
