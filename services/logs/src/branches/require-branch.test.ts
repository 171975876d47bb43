import { serviceError } from '@trellis/kit/errors'
import { silentLog } from '@trellis/kit/telemetry'
import type { Branch } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { expect, test } from 'vitest'
import { createBranchDirectory } from './directory.ts'
import { createRequireBranch } from './require-branch.ts'

const refusal = { kind: 'invalid', detail: [{ loc: ['query', 'branch'], msg: expect.stringContaining('"barm"') }] }

/** A directory whose service responds with `answer`. */
const directoryOf = (answer: () => Partial<Branch>[]) => {
  const service = { listBranches: async () => ({ branches: answer() }) }
  return createBranchDirectory({ service: service as never, security: {}, restMilliseconds: 0, log: silentLog })
}

test('an unknown branch is rejected by its name; an inactive one is known, and returned as missing', async () => {
  using directory = directoryOf(() => [
    { slug: 'barn', active: true, rpcAddress: '' },
    { slug: 'attic', active: false, rpcAddress: '' },
  ])
  const requireBranch = createRequireBranch(directory)
  for (const slug of ['barn', 'none', undefined]) expect(await requireBranch(slug)).toEqual([])
  expect(await requireBranch('attic')).toEqual(['attic'])
  await expect(requireBranch('barm')).rejects.toMatchObject(refusal)
})

test('without a directory there are no branches', async () => {
  const requireBranch = createRequireBranch(undefined)
  expect(await requireBranch('none')).toEqual([])
  await expect(requireBranch('barm')).rejects.toMatchObject(refusal)
})

test('while the list of branches cannot be requested, any slug is accepted', async () => {
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
