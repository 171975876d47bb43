import { expect, test } from 'vitest'
import { readEvents } from '../../support/events.ts'
import type { Shown } from '../support/watch.ts'
import { minutes, pool, readyReason, search, seconds, statusOf, type Testbed, untilStatus } from './testbed.ts'

export const workerFaults = (testbed: () => Testbed): void => {
  /** Waits until a worker of the Search waits for the marketplace, so that it is in the middle of its run; returns its pod. */
  const untilAtWork = async (name: string, not?: string): Promise<string> => {
    const isOther = not === undefined ? expect.any(String) : expect.not.stringMatching(`^${not}$`)
    const { podName } = await untilStatus(testbed(), name, { phase: 'Running', podName: isOther })
    await expect.poll(() => testbed().marketplace.waiting, { timeout: 30 * seconds }).toBeGreaterThan(0)
    return podName
  }
  const deletePod = (name: string) => testbed().namespace.kubectl('delete', 'pod', name, '--wait=true')

  test(
    'a worker deleted during its search is replaced once, and the Search completes',
    async () => {
      const { namespace, marketplace, ledger } = testbed()
      marketplace.hold()
      await namespace.apply(search('replaced'))
      const first = await untilAtWork('replaced')
      await deletePod(first)
      const second = await untilAtWork('replaced', first)
      expect(second).not.toBe(first)
      marketplace.release()
      const { podName, listingsFound } = await untilStatus(testbed(), 'replaced', { phase: 'Complete' })
      expect(podName).toBe(second)
      expect(listingsFound).toBeGreaterThan(0)
      expect(ledger.broken()).toEqual([])
    },
    3 * minutes,
  )

  test(
    'a Search that loses both its workers fails as WorkerLost and reports how often',
    async () => {
      const { namespace, marketplace, ledger } = testbed()
      marketplace.hold()
      await namespace.apply(search('lost'))
      const first = await untilAtWork('lost')
      await deletePod(first)
      const second = await untilAtWork('lost', first)
      await deletePod(second)
      const status = await untilStatus(testbed(), 'lost', { phase: 'Failed' })
      marketplace.release()
      expect(readyReason(status)).toBe('WorkerLost')
      expect(status.podName).toBe(second)
      expect(status.conditions.find(({ type }: Shown) => type === 'Failed').message).toMatch(
        /^Its worker was lost 2 times\./,
      )
      expect(ledger.broken()).toEqual([])
    },
    3 * minutes,
  )

  test(
    'a claimed pool worker that is deleted is replaced like a created worker',
    async () => {
      const { namespace, marketplace, ledger } = testbed()
      await namespace.apply(pool(1))
      await namespace.kubectl('wait', '--for=condition=Ready', 'warmpool/waiting', '--timeout=60s')
      marketplace.hold()
      await namespace.apply(search('claimed'))
      const first = await untilAtWork('claimed')
      expect(first).toMatch(/^waiting-/)
      await deletePod(first)
      await untilAtWork('claimed', first)
      marketplace.release()
      await untilStatus(testbed(), 'claimed', { phase: 'Complete' })
      expect(ledger.broken()).toEqual([])
      await namespace.kubectl('delete', 'warmpool/waiting')
    },
    3 * minutes,
  )

  test(
    'deleting a running Search deletes its worker and ends its session',
    async () => {
      const { namespace, marketplace, ledger, origin } = testbed()
      marketplace.hold()
      await namespace.apply(search('deleted'))
      const podName = await untilAtWork('deleted')
      const { sessionId } = statusOf(testbed(), 'deleted')
      ledger.removes('deleted')
      await namespace.kubectl('delete', 'search/deleted', '--timeout=60s')
      await namespace.kubectl('wait', '--for=delete', `pod/${podName}`, '--timeout=60s')
      const reported = await readEvents(`${origin}/listings/api/updates/${sessionId}`, ({ event }) => event === 'done')
      expect(reported.map(({ event }) => event)).toEqual(['search_failed', 'done'])
      marketplace.release()
      expect(ledger.broken()).toEqual([])
    },
    3 * minutes,
  )
}
