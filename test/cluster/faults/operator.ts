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

/** Whether only the operator makes such a write: Search statuses and deletions, pods with their labels and owners, and the Lease. */
const isOfOperator = (before: readonly Entry[]) => {
  const held = new Map(before.map(({ object }) => [object.metadata.uid, object]))
  return ({ resource, type, object }: Entry): boolean => {
    const known = held.get(object.metadata.uid)
    held.set(object.metadata.uid, object)
    if (resource === 'leases') return true
    if (resource === 'searches') return type !== 'ADDED'
    const operatorFields = ({ labels, ownerReferences, deletionTimestamp }: Entry['object']['metadata']) =>
      JSON.stringify([labels, ownerReferences, deletionTimestamp])
    const isChanged = operatorFields(object.metadata) !== operatorFields(known?.metadata ?? {})
    return type === 'ADDED' || (type === 'MODIFIED' && isChanged)
  }
}

export const operatorFaults = (testbed: () => Testbed): void => {
  const complete = (count: number) => Array.from({ length: count }, () => 'Complete: Finished')

  test(
    'fifty Searches each complete once although the leader is killed twice',
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
        // The restarted container of the killed leader may win the election too.
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
    'a leader stopped for longer than its lease resumes with pending work, writes nothing and exits',
    async () => {
      const { namespace, ledger, marketplace } = testbed()
      marketplace.hold()
      await namespace.apply(search('asleep'))
      await untilStatus(testbed(), 'asleep', { phase: 'Running' })
      const stopped = await untilLed(testbed())
      stopped.process.signal('SIGSTOP')
      // The worker ends while there is no leader. On a busy machine an election can take longer than the time limit of a worker's requests.
      marketplace.release()
      let next: Awaited<ReturnType<typeof untilLed>>
      const waiting = numbered('waiting', 4)
      try {
        next = await untilLed(testbed(), ({ metadata }) => metadata.name !== stopped.pod.metadata.name)
        await untilStatus(testbed(), 'asleep', { phase: 'Complete' })
        // Stop the new leader, so that every write from here on comes from the resumed one.
        next.process.signal('SIGSTOP')
        await namespace.apply(...waiting.map(search))
        await expect.poll(() => waiting.filter((name) => ledger.searches().has(name)).length).toBe(waiting.length)
      } catch (error) {
        if (stopped.process.isAlive()) stopped.process.signal('SIGCONT')
        throw error
      }
      const known = ledger.entries.length
      stopped.process.signal('SIGCONT')
      await expect.poll(stopped.process.isAlive, { timeout: 30 * seconds, interval: 5 }).toBe(false)
      const written = ledger.entries.slice(known).filter(isOfOperator(ledger.entries.slice(0, known)))
      expect(written.map(({ resource, type, object }) => [resource, type, object.metadata.name])).toEqual([])
      // On a busy machine its probe may have killed it meanwhile; then it is restarted and continues as well.
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
    'an operator outside of the cluster stays on standby for the same Lease while the others run',
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
