import { openFiles } from '@trellis/kit/files'
import { expect, test } from 'vitest'
import { batchOf } from '../segments/store-for-tests.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { createKeyValue } from './replicas-for-tests.ts'
import { countOf } from './replicas-suite.ts'
import { createUpkeep } from './upkeep.ts'

const hour = 3_600_000

test('leftovers of a killed replica are removed, and new and used files stay', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open()
  await one.engine.ingest(batchOf(numbered(10)))
  await using files = await openFiles(dependencies.shared.files, { recover: false })
  for (const key of ['segments/orphan', 'inbox/waiting', 'music/other']) await files.write(key, Buffer.from('x'))
  let ahead = 0
  const upkeepOf = (replica: string) =>
    createUpkeep({
      catalogue: one.catalogue,
      files,
      replica,
      graceMilliseconds: 600_000,
      now: () => Date.now() + ahead,
    })
  const keys = async () => (await Array.fromAsync(files.list(''))).map(({ key }) => key)
  const all = await keys()
  await upkeepOf('first').run()
  expect(await keys()).toEqual(all)
  ahead = 2 * hour
  await upkeepOf('second').run()
  // Another replica has the lease.
  expect(await keys()).toEqual(all)
  await upkeepOf('first').run()
  expect(await keys()).toEqual(all.filter((key) => key !== 'segments/orphan'))
  ahead = 8 * 24 * hour
  await upkeepOf('first').run()
  expect(await keys()).toEqual(all.filter((key) => key !== 'segments/orphan' && key !== 'inbox/waiting'))
  expect(await countOf(one, 'many')).toBe(10)
  expect(one.problems).toEqual([])
})
