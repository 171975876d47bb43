import { expect, test } from 'vitest'
import type { Entry } from '../support/watch.ts'
import { startOutsideOperator } from './outside-operator.ts'
import {
  minutes,
  numbered,
  pool,
  search,
  seconds,
  statusOf,
  type Testbed,
  untilEnded,
  untilLed,
  untilReady,
  untilStatus,
} from './testbed.ts'

/** What only the operator writes: statuses and removals of Searches, workers and whose they are, and the Lease. */
const isOfOperator = (before: readonly Entry[]) => {
  const held = new Map(before.map(({ object }) => [object.metadata.uid, object]))
  return ({ resource, type, object }: Entry): boolean => {
    const known = held.get(object.metadata.uid)
    held.set(object.metadata.uid, object)
    if (resource === 'leases') return true
    if (resource === 'searches') return type !== 'ADDED'
    const said = ({ labels, ownerReferences, deletionTimestamp }: Entry['object']['metadata']) =>
      JSON.stringify([labels, ownerReferences, deletionTimestamp])
    return type === 'ADDED' || (type === 'MODIFIED' && said(object.metadata) !== said(known?.metadata ?? {}))
  }
}

export const operatorFaults = (testbed: () => Testbed): void => {
  const complete = (count: number) => Array.from({ length: count }, () => 'Complete: Finished')

  test(
    'the operator is killed twice among fifty Searches: each is done, once, by whoever leads',
    async () => {
      const { namespace, ledger } = testbed()
      const names = numbered('killed', 50)
      const ended = () => names.filter((name) => statusOf(testbed(), name)?.phase === 'Complete').length
      await namespace.apply(pool(3), ...names.map(search))
      for (const enough of [8, 24]) {
        await expect.poll(ended, { timeout: 2 * minutes, interval: 50 }).toBeGreaterThanOrEqual(enough)
        const { holder, process } = await untilLed(testbed())
        expect(ended()).toBeLessThan(names.length)
        process.signal('SIGKILL')
        // Whoever it is: the container that was killed is started again, and may be first.
        const next = await untilLed(testbed(), (_, other) => other !== holder)
        expect(next.holder).not.toBe(holder)
      }
      expect(await untilEnded(testbed(), names)).toEqual(complete(names.length))
      expect(ledger.broken()).toEqual([])
      await namespace.kubectl('delete', 'warmpool/waiting')
      await untilReady(testbed())
    },
    6 * minutes,
  )

  test(
    'a leader that was stopped for longer than its lease, and wakes with work before it, writes nothing and ends',
    async () => {
      const { namespace, ledger, marketplace } = testbed()
      marketplace.hold()
      await namespace.apply(search('asleep'))
      await untilStatus(testbed(), 'asleep', { phase: 'Running' })
      const stopped = await untilLed(testbed())
      stopped.process.signal('SIGSTOP')
      let next: Awaited<ReturnType<typeof untilLed>>
      const waiting = numbered('waiting', 4)
      try {
        next = await untilLed(testbed(), ({ metadata }) => metadata.name !== stopped.pod.metadata.name)
        marketplace.release()
        await untilStatus(testbed(), 'asleep', { phase: 'Complete' })
        // Nobody else writes from here on, so that whatever is written is of the one that wakes.
        next.process.signal('SIGSTOP')
        await namespace.apply(...waiting.map(search))
        await expect.poll(() => waiting.filter((name) => ledger.searches().has(name)).length).toBe(waiting.length)
      } finally {
        const before = ledger.entries.length
        stopped.process.signal('SIGCONT')
        await expect.poll(stopped.process.isAlive, { timeout: 30 * seconds, interval: 5 }).toBe(false)
        const written = ledger.entries.slice(before).filter(isOfOperator(ledger.entries.slice(0, before)))
        expect(written.map(({ resource, type, object }) => [resource, type, object.metadata.name])).toEqual([])
      }
      // On a busy machine its probe may have ended it meanwhile: then it is started again and goes on as well.
      if (next.process.isAlive()) next.process.signal('SIGCONT')
      expect(await untilEnded(testbed(), waiting)).toEqual(complete(waiting.length))
      await untilReady(testbed())
      const [again] = await namespace.list('pods', '--field-selector', `metadata.name=${stopped.pod.metadata.name}`)
      const [container] = again.status.containerStatuses
      const [before] = stopped.pod.status.containerStatuses
      expect(container.restartCount).toBe(before.restartCount + 1)
      expect(container.lastState.terminated).toMatchObject({ exitCode: 1 })
      expect(ledger.broken()).toEqual([])
    },
    4 * minutes,
  )

  test(
    'one more operator, outside of the cluster, stands by at the same Lease while the others are there',
    async () => {
      const { namespace, ledger } = testbed()
      const names = numbered('beside', 6)
      const before = ledger.entries.length
      await using outside = await startOutsideOperator(testbed())
      await namespace.apply(...names.map(search))
      expect(await untilEnded(testbed(), names)).toEqual(complete(names.length))
      const holders = ledger.entries
        .slice(before)
        .filter(({ resource }) => resource === 'leases')
        .map(({ object }) => object.spec.holderIdentity)
      expect(holders.length).toBeGreaterThan(0)
      for (const holder of holders) expect(holder).toMatch(/^trellis-operator-/)
      expect(await outside.end()).toBe(0)
      expect(ledger.broken()).toEqual([])
    },
    3 * minutes,
  )
}
