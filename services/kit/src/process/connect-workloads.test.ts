import { expect, test } from 'vitest'
import { connectWorkloads } from './connect-workloads.ts'

test('without an address, calls fail and name the missing setting', async () => {
  using connections = connectWorkloads(undefined, { secrets: ['secret'] })
  expect(connections.branches).toBeUndefined()
  for (const call of [() => connections.workloads.list({}), () => connections.workloads.cancel({ runId: 'run' })])
    await expect(call()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'This installation runs no workloads. Set WORKLOADS_ADDRESS.',
    })
})
