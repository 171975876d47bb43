import { expect, test } from 'vitest'
import { minutes, numbered, readyReason, search, type Testbed, untilEnded, untilStatus } from './testbed.ts'

export const nodeFaults = (testbed: () => Testbed): void => {
  test(
    'while the node takes no pods, Searches wait as Unschedulable in the words of the scheduler, and go on when it does',
    async () => {
      const { namespace, ledger } = testbed()
      const names = numbered('cordoned', 3)
      // The one that all of this is on: there may be others that take none of it.
      const [{ spec }] = await namespace.list('pods', '-l', 'app.kubernetes.io/component=operator')
      await namespace.kubectl('cordon', spec.nodeName)
      try {
        await namespace.apply(...names.map(search))
        for (const name of names) {
          const status = await untilStatus(testbed(), name, { phase: 'Pending', podName: expect.any(String) })
          expect(readyReason(status)).toBe('Unschedulable')
          expect(JSON.stringify(status.conditions)).toMatch(/node\(s\) were unschedulable/)
        }
      } finally {
        await namespace.kubectl('uncordon', spec.nodeName)
      }
      expect(await untilEnded(testbed(), names)).toEqual(names.map(() => 'Complete: Finished'))
      expect(ledger.broken()).toEqual([])
    },
    3 * minutes,
  )
}
