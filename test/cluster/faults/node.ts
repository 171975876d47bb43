import { expect, test } from 'vitest'
import { minutes, numbered, readyReason, search, type Testbed, untilEnded, untilStatus } from './testbed.ts'

export const nodeFaults = (testbed: () => Testbed): void => {
  test(
    "Searches on a cordoned node are Unschedulable with the scheduler's message and run after uncordon",
    async () => {
      const { namespace, ledger } = testbed()
      const names = numbered('cordoned', 3)
      // The node of this installation; the cluster may have other nodes that take none of its pods.
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
