import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runIdOf } from '../support/audit.ts'
import { processOfApiServer } from '../support/node-processes.ts'
import { clusterMissing } from '../support/programs.ts'
import { minutes, openTestbed, seconds, type Testbed } from './testbed.ts'

const missing =
  clusterMissing ??
  ((await processOfApiServer()) === undefined
    ? 'the cluster of KUBECONFIG is on another machine, whose processes cannot be stopped'
    : undefined)

/** Runs fault tests on a dedicated installation. Finally checks that no rule of runs was broken. */
export const onTestbed = (title: string, faults: (testbed: () => Testbed) => void): void => {
  describe.skipIf(missing !== undefined)(`${title}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    let opened: Testbed
    beforeAll(async () => {
      opened = await openTestbed()
    }, 10 * minutes)
    afterEach(() => opened?.marketplace.release())
    afterAll(() => opened?.[Symbol.asyncDispose](), 5 * minutes)

    faults(() => opened)

    test(
      'every Search and its pods are deleted after the TTL, and no rule was broken',
      async () => {
        const { namespace, ledger } = opened
        const left = async () => [
          ...(await namespace.list('searches')),
          ...(await namespace.list('pods')).filter((pod) => runIdOf(pod) !== undefined),
        ]
        const names = async () => (await left()).map(({ metadata }) => metadata.name)
        await expect.poll(names, { timeout: 3 * minutes, interval: seconds }).toEqual([])
        expect(ledger.broken()).toEqual([])
      },
      4 * minutes,
    )
  })
}
