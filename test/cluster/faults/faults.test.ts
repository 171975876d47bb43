import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runIdOf } from '../support/audit.ts'
import { processOfApiServer } from '../support/node-processes.ts'
import { clusterMissing } from '../support/programs.ts'
import { nodeFaults } from './node.ts'
import { operatorFaults } from './operator.ts'
import { outageFaults } from './outages.ts'
import { serverFaults } from './servers.ts'
import { workerFaults } from './workers.ts'
import { minutes, openWorld, seconds, type World } from './world.ts'

const missing =
  clusterMissing ??
  ((await processOfApiServer()) === undefined
    ? 'the cluster of KUBECONFIG is on another machine, whose processes cannot be stopped'
    : undefined)

describe.skipIf(missing !== undefined)(
  `an installation on which things go wrong${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let opened: World
    const world = () => opened
    beforeAll(async () => {
      opened = await openWorld()
    }, 10 * minutes)
    afterEach(() => opened?.marketplace.release())
    afterAll(() => opened?.[Symbol.asyncDispose](), 5 * minutes)

    describe('a worker is lost', () => workerFaults(world))
    describe('the node takes no pods', () => nodeFaults(world))
    describe('the operator is ended or stopped', () => operatorFaults(world))
    describe('a server is away', () => serverFaults(world))
    describe('a server is away for long', () => outageFaults(world))

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
  },
)
