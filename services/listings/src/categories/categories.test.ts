import { readConfig } from '@trellis/kit/config'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { listenForTests } from '@trellis/test/support/http-server'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listingsConfig } from '../config.ts'
import { openLeases } from '../leases.ts'
import { families } from '../marketplace/demo/catalogue.ts'
import { startDemoMarketplace } from '../marketplace/demo/server.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { bootstrapCategories } from './bootstrap.ts'
import { refreshCategories } from './refresh.ts'
import { categoriesRpc } from './rpc.ts'
import { matchCategories } from './store.ts'

const day = 86_400_000
let database: RunningDatabase

let opened: AsyncDisposableStack
let db: Kysely<ListingsTables>
let now: Date
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  const place = opened.use(await database.place({ name: 'listings', migrations }))
  db = opened.use(
    await openStore<ListingsTables>({ ...place.location, name: 'listings', migrations, log: silentLog }),
  ).db
  now = new Date('2026-06-15T12:00:00Z')
})
afterEach(() => opened.disposeAsync())

const replica = (environment: Record<string, string> = {}) => ({
  config: readConfig(listingsConfig, environment),
  db,
  demoUrl: async () => {
    const demo = await startDemoMarketplace()
    opened.defer(() => demo.close())
    return demo.url
  },
  leases: openLeases(db, () => now),
  log: silentLog,
  now: () => now,
  signal: new AbortController().signal,
})
const listed = async (environment: Record<string, string> = {}) => {
  const { listCategories } = categoriesRpc(replica(environment))
  return (await listCategories({}, {} as never)) as { categories: { fullPath: string }[]; refreshedAt: string | null }
}

const node = (categoryId: string, categoryName: string, ...childCategoryTreeNodes: object[]) => ({
  category: { categoryId, categoryName },
  childCategoryTreeNodes,
})
const tree = {
  rootCategoryNode: node(
    '0',
    'Root',
    node('1', 'Cameras', node('2', 'Digital'), node('3', '', node('4', 'Lost'))),
    node('5', 'Music', node('6', 'Guitars', node('7', '7-string guitars'))),
  ),
}

/** The API of a marketplace, which answers with a tree or an error. */
const serveApi = async (answer: () => { status: number; body: object }) => {
  const paths: string[] = []
  const server = opened.use(
    await listenForTests(async (request, response) => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://api.test')
      paths.push(pathname + search)
      const { status, body } = pathname.endsWith('/token')
        ? { status: 200, body: { access_token: 't', expires_in: 7200 } }
        : pathname.endsWith('/get_default_category_tree_id')
          ? { status: 200, body: { categoryTreeId: '77' } }
          : answer()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }),
  )
  const environment = {
    MARKETPLACE_API_URL: server.url,
    MARKETPLACE_APP_ID: 'id',
    MARKETPLACE_CERT_ID: 'key',
    MARKETPLACE_SITE_ID: 'EBAY_DE',
  }
  return { environment, paths, treesRead: () => paths.filter((path) => path.endsWith('/category_tree/77')).length }
}

describe.each(databases)('the categories on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('with it', () => {
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())

    test('are empty before they are first read', async () => {
      expect(await listed()).toEqual({ categories: [], refreshedAt: null })
    })

    test('without credentials are a built-in list, which has all categories of the demo', async () => {
      await refreshCategories(replica())
      const { categories, refreshedAt } = await listed()
      expect(refreshedAt).toBe('2026-06-15T12:00:00.000Z')
      expect(categories).toHaveLength(bootstrapCategories.length)
      expect(categories).toContainEqual({
        categoryId: '31388',
        name: 'Digital Cameras',
        fullPath: 'Cameras & Photo > Digital Cameras',
        isLeaf: true,
      })
      const paths = categories.map(({ fullPath }) => fullPath)
      expect(new Set(bootstrapCategories.map(({ category_id }) => category_id)).size).toBe(paths.length)
    })

    test("with credentials are the leaves of the site's tree, read again after seven days", async () => {
      const api = await serveApi(() => ({ status: 200, body: tree }))
      await refreshCategories(replica(api.environment))
      expect((await listed()).categories.map(({ fullPath }) => fullPath)).toEqual([
        'Cameras > Digital',
        'Music > Guitars > 7-string guitars',
      ])
      expect(api.paths).toContain('/commerce/taxonomy/v1/get_default_category_tree_id?marketplace_id=EBAY_DE')
      now = new Date(now.getTime() + 6.9 * day)
      await refreshCategories(replica(api.environment))
      expect(api.treesRead()).toBe(1)
      now = new Date(now.getTime() + 0.2 * day)
      await refreshCategories(replica(api.environment))
      expect(api.treesRead()).toBe(2)
      expect((await listed()).refreshedAt).toBe(now.toISOString())
    })

    test("with credentials but no marketplace are those of the demo's API", async () => {
      await refreshCategories(replica({ MARKETPLACE_APP_ID: 'id', MARKETPLACE_CERT_ID: 'key' }))
      const paths = (await listed()).categories.map(({ fullPath }) => fullPath)
      expect(paths.toSorted()).toEqual(families.map(({ category }) => category.path.join(' > ')).toSorted())
    })

    test('survive a failing API: the built-in list at first, later the last one that was read', async () => {
      let status = 500
      const api = await serveApi(() => ({ status, body: tree }))
      await expect(refreshCategories(replica(api.environment))).rejects.toThrow('status 500')
      expect((await listed()).categories).toHaveLength(bootstrapCategories.length)
      status = 200
      await refreshCategories(replica(api.environment))
      expect((await listed()).categories).toHaveLength(2)
      status = 500
      now = new Date(now.getTime() + 8 * day)
      await expect(refreshCategories(replica(api.environment))).rejects.toThrow('status 500')
      await refreshCategories(replica())
      expect((await listed()).categories).toHaveLength(2)
    })

    test('of an API that answers with something else are not replaced', async () => {
      const api = await serveApi(() => ({
        status: 200,
        body: { rootCategoryNode: { childCategoryTreeNodes: 'none' } },
      }))
      await expect(refreshCategories(replica(api.environment))).rejects.toThrow('has no categories')
      expect((await listed()).categories).toHaveLength(bootstrapCategories.length)
    })

    test('are read by one of several replicas', async () => {
      const api = await serveApi(() => ({ status: 200, body: tree }))
      await Promise.all([1, 2, 3].map(() => refreshCategories(replica(api.environment))))
      expect(api.treesRead()).toBe(1)
    })

    test('are found by words in their path, whatever their case, and never by wildcards', async () => {
      await refreshCategories(replica())
      const found = async (...words: string[]) =>
        (await matchCategories(db, 'marketplace', words, 30)).map(({ name }) => name)
      expect(await found('LENSES', 'wristwatch')).toEqual(['Camera Lenses', 'Wristwatches'])
      expect(await found('%')).toEqual([])
      expect(await matchCategories(db, 'marketplace', [], 5)).toHaveLength(5)
    })
  })
})
