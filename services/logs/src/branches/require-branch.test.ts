import { serviceError } from '@trellis/kit/errors'
import { silentLog } from '@trellis/kit/telemetry'
import type { Branch } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { expect, test } from 'vitest'
import { createBranchDirectory } from './directory.ts'
import { createRequireBranch } from './require-branch.ts'

const refusal = { kind: 'invalid', detail: [{ loc: ['query', 'branch'], msg: expect.stringContaining('"barm"') }] }

/** A directory that asks who runs branches, as `answer` says. */
const directoryOf = (answer: () => Partial<Branch>[]) => {
  const service = { listBranches: async () => ({ branches: answer() }) }
  return createBranchDirectory({ service: service as never, security: {}, restMilliseconds: 0, log: silentLog })
}

test('a branch that there is not is refused by its name; one that is not active is known, and given as missing', async () => {
  using directory = directoryOf(() => [
    { slug: 'barn', active: true, rpcAddress: '' },
    { slug: 'attic', active: false, rpcAddress: '' },
  ])
  const requireBranch = createRequireBranch(directory)
  for (const asked of ['barn', 'none', undefined]) expect(await requireBranch(asked)).toEqual([])
  expect(await requireBranch('attic')).toEqual(['attic'])
  await expect(requireBranch('barm')).rejects.toMatchObject(refusal)
})

test('where nothing runs branches there are none', async () => {
  const requireBranch = createRequireBranch(undefined)
  expect(await requireBranch('none')).toEqual([])
  await expect(requireBranch('barm')).rejects.toMatchObject(refusal)
})

test('while nobody says which branches there are, any is taken at its word', async () => {
  let isAway = true
  using directory = directoryOf(() => {
    if (isAway) throw serviceError('unavailable', 'Away.')
    return []
  })
  const requireBranch = createRequireBranch(directory)
  expect(await requireBranch('barm')).toEqual(['barm'])
  isAway = false
  await expect(requireBranch('barm')).rejects.toMatchObject(refusal)
  isAway = true
  expect(await requireBranch('barm')).toEqual(['barm'])
})
