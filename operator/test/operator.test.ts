import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import { connectGrpc } from '@trellis/kit/rpc'
import { assignmentsOf, inputsOf } from '@trellis/kit/workloads'
import {
  RunConcluded,
  RunRequest,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statefulSets } from '../src/branch/child-kinds.ts'
import { type Branch, branches, type Search, searches } from '../src/crds/mod.ts'
import type { RunEventOf } from '../src/runs/mod.ts'
import { type Client, leases } from '../src/runtime/mod.ts'
import { pods } from '../src/workers/mod.ts'
import { eventually } from './eventually.ts'
import {
  type OperatorServers,
  serversMissing,
  spawnOperator,
  startOperatorServers,
  workerTemplate,
} from './operator-process.ts'
import { runEventsFor } from './run-events-for.ts'

test('the operator names the missing setting and exits if it has no templates file', async () => {
  const { output, closed } = spawnOperator({ NATS_URL: '127.0.0.1:1' })
  expect(await closed).toBe(1)
  expect(output().error).toMatch(/^TRELLIS_WORKERS must be set/)
})

test('an invalid template is reported with its field', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-operator-'))
  try {
    const file = join(directory, 'workers.json')
    await writeFile(
      file,
      JSON.stringify({ search: { ...workerTemplate, image: 7 }, generation: workerTemplate, branch: workerTemplate }),
    )
    const { output, closed } = spawnOperator({ NATS_URL: '127.0.0.1:1', TRELLIS_WORKERS: file })
    expect(await closed).toBe(1)
    expect(output().error).toMatch(/search\.image/)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

describe.skipIf(serversMissing !== undefined)(
  `operator processes on a real kube-apiserver and NATS${serversMissing ? ` (skipped: ${serversMissing})` : ''}`,
  () => {
    let servers: OperatorServers
    let client: Client
    let bus: Bus

    beforeAll(async () => {
      if (serversMissing !== undefined) return
      servers = await startOperatorServers()
      ;({ client, bus } = servers)
    })

    afterAll(() => servers?.[Symbol.asyncDispose]())

    const holderOf = async (namespace: string) =>
      (await client.list(leases, { namespace })).items.find(({ metadata }) => metadata.name === 'trellis-operator')
        ?.spec?.holderIdentity

    /** Plays the worker and the service of a run. */
    const perform = async (namespace: string, runId: string) => {
      let uid = ''
      let name = ''
      await eventually(async () => {
        const [pod] = (await client.list(pods, { namespace, labelSelector: `trellis.dev/run-id=${runId}` })).items
        uid = pod?.metadata.uid ?? ''
        name = pod?.metadata.name ?? ''
        return uid !== ''
      }, 'there is a pod')
      const stop = new AbortController()
      for await (const delivery of bus.subscribe(assignmentsOf.search(uid), { after: 'start', signal: stop.signal }))
        if (delivery.kind === 'event' && delivery.event.runId === runId) break
      const send = (event: RunEventOf) => bus.enqueue(runEventsFor('search', event), { runId, event })
      await send({ $case: 'started', value: { worker: name, warm: false } })
      await send({ $case: 'worked', value: {} })
      await send({ $case: 'concluded', value: RunConcluded.fromPartial({ listingsFound: 3 }) })
      stop.abort()
    }

    const untilComplete = (namespace: string, runId: string) =>
      eventually(async () => {
        const { items } = await client.list(searches, { namespace })
        return items.find(({ status }) => status.sessionId === runId)?.status.phase === 'Complete'
      }, 'the search is complete')

    test('a standby replica takes calls and leads within seconds after the leader gets SIGTERM', async () => {
      const namespace = await servers.newNamespace()
      const first = await servers.startOperator(namespace)
      await eventually(async () => (await holderOf(namespace)) !== undefined, 'the first leads')
      const second = await servers.startOperator(namespace)
      expect((await fetch(`${second.health}/readyz`)).status).toBe(200)
      using connection = connectGrpc(WorkloadsServiceDefinition, second.address)
      const workloads = connection.client
      const request = {
        workload: 'WORKLOAD_SEARCH',
        input: Buffer.from('plan'),
        search: { query: 'thinkpad' },
      } as const
      await workloads.run(RunRequest.fromPartial({ ...request, runId: 'one' }))
      for await (const delivery of bus.subscribe(inputsOf.search('one'), {
        after: 'start',
        signal: new AbortController().signal,
      }))
        if (delivery.kind === 'event') {
          expect(Buffer.from(delivery.event.input).toString()).toBe('plan')
          break
        }
      await perform(namespace, 'one')
      await untilComplete(namespace, 'one')
      expect(await (await fetch(first.metrics)).text()).toMatch(
        /^rest_client_requests_total\{code="201",method="POST",.*\} [1-9]/m,
      )

      const before = await holderOf(namespace)
      expect(await first.end()).toBe(0)
      await workloads.run(RunRequest.fromPartial({ ...request, runId: 'two' }))
      await perform(namespace, 'two')
      await untilComplete(namespace, 'two')
      expect(await holderOf(namespace)).not.toBe(before)
      expect(await second.end()).toBe(0)
      expect(await holderOf(namespace)).toBeUndefined()
    })

    test('new branches request volumes of the configured storage class', async () => {
      const namespace = await servers.newNamespace()
      const operator = await servers.startOperator(namespace, { BRANCH_STORAGE_CLASS: 'fast' })
      await client.create<Branch>(branches, {
        metadata: { name: 'graz', namespace },
        spec: { slug: 'graz' } as Branch['spec'],
      })
      await eventually(async () => {
        const [set] = (await client.list(statefulSets, { namespace })).items
        return set?.spec?.volumeClaimTemplates[0]?.spec?.storageClassName === 'fast'
      }, 'its volume claim names that class')
      expect(await operator.end()).toBe(0)
    })

    test('an operator that loses the lease exits at once with code 1, so that it is restarted', async () => {
      const namespace = await servers.newNamespace()
      const operator = await servers.startOperator(namespace)
      await eventually(async () => (await holderOf(namespace)) !== undefined, 'it leads')
      await client.create<Search>(searches, {
        metadata: { name: 'a', namespace },
        spec: { query: 'thinkpad' } as Search['spec'],
      })
      await client.patch(
        leases,
        { name: 'trellis-operator', namespace },
        {
          type: 'merge',
          body: { spec: { holderIdentity: 'another', renewTime: new Date().toISOString().replace('Z', '000Z') } },
        },
      )
      expect(await operator.closed).toBe(1)
      expect(operator.output().out).toContain('the operator cannot go on')
    })
  },
)
