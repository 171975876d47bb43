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

/** Faults on an installation of their own, which must have kept all rules of runs in the end. */
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
      'in the end every Search has gone after its time, with its pods, and no rule was broken',
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
