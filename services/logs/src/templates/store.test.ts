import { openStore } from '@trellis/kit/store'
import { databases } from '@trellis/test/support/databases'
import { describe, expect, test } from 'vitest'
import { logsSchema } from '../schemas.ts'
import { createTemplateStore, type TemplateTables } from './store.ts'

const day = 86_400_000
const template = (templateId: string, into: string | null = null) => ({
  templateId,
  form: `form ${templateId}`,
  isGeneral: false,
  into,
})

describe.each(databases)('rows of templates on $name', ({ isMissing, start }) => {
  test.skipIf(isMissing)(
    'are deleted unless an entry has them or resolves to them, and a new epoch reports that some were deleted',
    async () => {
      await using database = await start()
      await using place = await database.place(logsSchema)
      const rows = await openStore<TemplateTables>({ ...place.location, ...logsSchema })
      await using _ = { [Symbol.asyncDispose]: () => rows.close() }
      let now = Date.parse('2026-03-01T10:00:00Z')
      const store = createTemplateStore(rows.db, () => now)
      await store.save([template('a', 'b'), template('b'), template('c')])
      await store.prune(['a'])
      expect(await store.changes(0)).toMatchObject({ epoch: 0, templates: { length: 3 } })
      now += day
      await store.prune(['a'])
      await store.prune(['a'])
      const { epoch, templates } = await store.changes(0)
      expect([epoch, templates.map(({ templateId }) => templateId).toSorted()]).toEqual([1, ['a', 'b']])
      await store.prune([])
      expect(await store.changes(0)).toMatchObject({ epoch: 2, templates: [] })
    },
  )
})
