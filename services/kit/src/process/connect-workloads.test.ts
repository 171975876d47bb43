import { expect, test } from 'vitest'
import { connectWorkloads } from './connect-workloads.ts'

test('where nobody runs anything, who asks for it is told which setting is missing', async () => {
  using connections = connectWorkloads(undefined, { secrets: ['secret'] })
  expect(connections.branches).toBeUndefined()
  for (const call of [() => connections.workloads.list({}), () => connections.workloads.cancel({ runId: 'run' })])
    await expect(call()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Nobody runs this here: WORKLOADS_ADDRESS is not set.',
    })
})
