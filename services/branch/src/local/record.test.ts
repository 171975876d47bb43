import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { type BranchRecord, openRecords } from './record.ts'

const barn: BranchRecord = {
  slug: 'barn',
  label: 'Barn',
  tenantId: null,
  retentionDays: 30,
  anonymize: false,
  active: true,
  port: 8_538,
  keyHash: 'x',
  createdAt: '2026-03-01T09:15:02.000Z',
  entryCount: null,
  lastSeen: null,
}

test('concurrent changes to a record are all written', async () => {
  await using directory = await temporaryDirectory()
  const records = await openRecords(directory.path)
  await records.add(barn)
  // A branch reports its entries while a request deactivates it.
  const reports = Array.from({ length: 20 }, (_, entryCount) => records.change('barn', { entryCount }))
  await Promise.all([...reports.slice(0, 10), records.change('barn', { active: false }), ...reports.slice(10)])
  expect(records.get('barn')).toEqual({ ...barn, entryCount: 19, active: false })
  expect((await openRecords(directory.path)).all()).toEqual([{ ...barn, entryCount: 19, active: false }])
})

test('a change to a branch without a record is ignored', async () => {
  await using directory = await temporaryDirectory()
  const records = await openRecords(directory.path)
  await records.change('barn', { entryCount: 1 })
  expect(records.all()).toEqual([])
})
