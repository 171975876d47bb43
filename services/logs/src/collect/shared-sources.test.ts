import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logsSchema } from '../schemas.ts'
import type { AddedSourcesTables } from './added-sources-store.ts'
import { createSharedSources } from './shared-sources.ts'
import { createSourcesFile } from './sources-file.ts'

describe.each(databases)('sources of replicas on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('as a row', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())

    /** Two replicas with the same file, each on a disk of its own. */
    const openTwo = async (text?: string) => {
      await using opened = new AsyncDisposableStack()
      const { path: directory } = opened.use(await temporaryDirectory())
      const { location } = opened.use(await database.place(logsSchema))
      const open = async (name: string) => {
        const own = join(directory, name)
        await mkdir(own)
        const path = join(own, 'sources.yaml')
        if (text !== undefined) await writeFile(path, text)
        const store = opened.use(await openStore<AddedSourcesTables>({ ...location, ...logsSchema }))
        const sourcesFile = createSourcesFile({ path, lockDirectory: join(own, 'lock') })
        return { path, ...createSharedSources({ sourcesFile, db: store.db }) }
      }
      const [one, other] = [await open('one'), await open('other')]
      const stack = opened.move()
      return { one, other, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    }
    const idsOf = async ({ read }: Pick<ReturnType<typeof createSharedSources>, 'read'>) =>
      (await read()).entries.map(({ id }) => id)

    test('are those of the file and those that were added at any replica', async () => {
      await using both = await openTwo('sources:\n  - {id: app, path: /var/log/app.log}\n')
      expect(await both.one.append([{ id: 'web', path: '/var/log/web.log', timezone: 'UTC' }])).toMatchObject([
        { id: 'web', timezone: 'UTC' },
      ])
      await both.other.append([{ id: 'db', path: '/var/log/db.log' }])
      expect(await idsOf(both.one)).toEqual(['app', 'web', 'db'])
      expect(await idsOf(both.other)).toEqual(['app', 'web', 'db'])
    })

    test('have unique ids, are added all or none, and mistakes are reported', async () => {
      await using both = await openTwo('sources:\n  - {id: app, path: /var/log/app.log}\n')
      const web = { id: 'web', path: '/var/log/web.log' }
      await expect(both.one.append([web, { id: 'app', path: '/x' }])).rejects.toMatchObject({ kind: 'conflict' })
      await expect(both.one.append([web, { id: 'y' }])).rejects.toMatchObject({ kind: 'invalid' })
      expect(await idsOf(both.other)).toEqual(['app'])
      const answers = await Promise.allSettled([both.one.append([web]), both.other.append([web])])
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await idsOf(both.other)).toEqual(['app', 'web'])
    })

    test('persist when the file changes: the file takes precedence for an id in both, and that is reported', async () => {
      await using both = await openTwo()
      await both.one.append([{ id: 'app', path: '/added.log' }])
      await writeFile(both.other.path, 'sources:\n  - {id: app, path: /configured.log}\n')
      expect(await both.other.read()).toMatchObject({
        entries: [{ id: 'app', path: '/configured.log' }],
        problems: [expect.stringContaining('the sources file has "app", too')],
      })
      await rm(both.other.path)
      expect((await both.other.read()).entries).toMatchObject([{ id: 'app', path: '/added.log' }])
      await writeFile(both.one.path, 'sources: [')
      await expect(both.one.append([{ id: 'web', path: '/web.log' }])).rejects.toMatchObject({ kind: 'conflict' })
    })
  })
})
