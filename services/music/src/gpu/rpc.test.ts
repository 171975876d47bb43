import { serviceError } from '@trellis/kit/errors'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { local, openPorts, openReplica, type Ports } from '../../test/open-service.ts'
import type { WorkloadsClient } from '../worker/run-task.ts'

const caller = { caller: local }
const stack = new AsyncDisposableStack()
let ports: Ports
beforeAll(async () => {
  const { path } = stack.use(await temporaryDirectory())
  ports = stack.use(await openPorts(path))
})
afterAll(() => stack.disposeAsync())

/** A replica whose workloads report this capacity. */
const openBeside = async (capacity: Partial<WorkloadsClient>, now?: () => Date) =>
  openReplica({ ...ports, workloads: { ...ports.workloads, ...capacity } }, now ? { now } : {})

const classOf = { product: 'NVIDIA-A10G', memoryMib: 24_564, resource: 'nvidia.com/gpu' }
const busy = (running: number, queued = 0): Partial<WorkloadsClient> => ({
  capacity: async () => ({
    total: 2,
    running,
    queued,
    mode: 'kubernetes',
    observedAt: '2026-03-01T09:15:02.000Z',
    classes: [{ ...classOf, total: 2, free: 2 - running, usedByUs: running, usedByOthers: 0 }],
    reasons: [],
  }),
})

test('reports the generation capacity and the available generators', async () => {
  await using replica = await openBeside({})
  const gpu = await replica.client.getGpu({}, caller)
  expect(gpu).toMatchObject({ mode: 'GPU_MODE_LOCAL', classes: [], running: 0, queueDepth: 0, estimatedWaitSeconds: 0 })
  expect(gpu.reasons.join()).toContain('CPU')
  expect(gpu.generators.map(({ name, available }) => [name, available])).toEqual([
    ['recombine', true],
    ['onnx', false],
    ['mock', true],
  ])
})

test('reports the GPUs of a cluster by model, and an unknown wait as null', async () => {
  await using replica = await openBeside(busy(2, 3))
  const gpu = await replica.client.getGpu({}, caller)
  expect(gpu).toMatchObject({
    mode: 'GPU_MODE_KUBERNETES',
    classes: [{ product: 'NVIDIA-A10G', memoryMib: 24_564, total: 2, free: 0, usedByUs: 2 }],
    queueDepth: 3,
    running: 2,
  })
  expect(gpu.estimatedWaitSeconds ?? null).toBeNull()
})

test('reports no capacity while the workloads service is unavailable', async () => {
  const capacity = async () => {
    throw serviceError('unavailable', 'The service cannot be reached just now.')
  }
  await using replica = await openBeside({ capacity })
  const gpu = await replica.client.getGpu({}, caller)
  expect([gpu.mode, gpu.reasons.length]).toEqual(['GPU_MODE_NONE', 1])
  await expect(replica.client.createGpuSession({}, caller)).rejects.toMatchObject({ kind: 'conflict' })
})

test('leases only free slots, across all replicas, until they are released or expire', async () => {
  let time = Date.parse('2026-03-01T09:00:00Z')
  const now = () => new Date(time)
  await using one = await openBeside(busy(0), now)
  await using other = await openBeside(busy(0), now)
  const lease = await one.client.createGpuSession({}, caller)
  expect(lease).toMatchObject({ status: 'leased', expiresAt: '2026-03-01T09:01:00.000Z' })
  const second = await other.client.createGpuSession({}, caller)
  await expect(one.client.createGpuSession({}, caller)).rejects.toMatchObject({ kind: 'conflict' })

  time += 40_000
  const { sessionId } = lease
  expect((await other.client.renewGpuSession({ sessionId }, caller)).expiresAt).toBe('2026-03-01T09:01:40.000Z')
  time += 30_000
  await expect(one.client.renewGpuSession(second, caller)).rejects.toMatchObject({ kind: 'not_found' })
  const third = await one.client.createGpuSession({}, caller)
  await one.client.deleteGpuSession(third, caller)
  await expect(one.client.deleteGpuSession(third, caller)).rejects.toMatchObject({ kind: 'not_found' })
  const stranger = { caller: { ...local, userId: 'another' } }
  await expect(one.client.deleteGpuSession({ sessionId }, stranger)).rejects.toMatchObject({ kind: 'not_found' })
  await one.client.deleteGpuSession({ sessionId }, caller)
})

test('concurrent requests get no more leases than there are slots', async () => {
  await using one = await openBeside(busy(1))
  await using other = await openBeside(busy(1))
  const requested = await Promise.allSettled(
    [one, other, one, other].map(({ client }) => client.createGpuSession({}, caller)),
  )
  expect(requested.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
