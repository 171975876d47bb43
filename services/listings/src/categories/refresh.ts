import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import { apiCredentials, type ListingsConfig, usesDemo } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { createApiCall } from '../marketplace/api/call.ts'
import { readCategories } from '../marketplace/api/taxonomy.ts'
import { bootstrapCategories } from './bootstrap.ts'
import { type Category, findCategoryList, replaceCategories } from './store.ts'

const day = 86_400_000
const lifetime = 7 * day
/** How often the age of the list is checked; after a failure it is read again at the next check. */
const roundMilliseconds = 3_600_000
/** The tree is one answer of many megabytes. */
const treeLimits = { timeoutMilliseconds: 120_000, maxBytes: 96 * 1024 * 1024 } as const
const leaseName = 'categories'

type RefreshDependencies = Pick<Dependencies, 'config' | 'db' | 'demoUrl' | 'leases' | 'log' | 'now' | 'signal'>

/** The credentials of the API that has the list, which the demo has, too; undefined without one. */
const apiOf = (config: ListingsConfig) =>
  config.apiUrl === undefined && !usesDemo(config) ? undefined : apiCredentials(config)

/** What the list should be replaced with: nothing while it is fresh. A list from the API is never replaced with the built-in one. */
const dueSource = async ({ config, db, now }: RefreshDependencies): Promise<'api' | 'bootstrap' | undefined> => {
  const known = await findCategoryList(db, config.platform)
  const isStale = known === undefined || now().getTime() - Date.parse(known.refreshed_at) > lifetime
  if (apiOf(config) !== undefined) return isStale || known.source === 'bootstrap' ? 'api' : undefined
  return isStale && known?.source !== 'api' ? 'bootstrap' : undefined
}

const fromApi = async (
  { config, now, demoUrl }: RefreshDependencies,
  signal: AbortSignal,
): Promise<readonly Category[]> => {
  const credentials = apiOf(config)
  if (credentials === undefined) return bootstrapCategories
  const api = { apiUrl: config.apiUrl ?? (await demoUrl()), credentials }
  const call = createApiCall({ ...treeLimits, userAgent: config.userAgent })
  const leaves = await readCategories({ call, ...api, marketplaceId: config.siteId, now }, signal)
  return leaves.map(({ id, path }) => ({
    category_id: id,
    name: path.at(-1) ?? id,
    full_path: path.join(' > '),
    isLeaf: true,
  }))
}

/** Replaces the list if it is due and no other replica is doing so. Without any list, the built-in one comes first: the API may fail. */
export const refreshCategories = async (dependencies: RefreshDependencies): Promise<void> => {
  const { config, db, leases, log, now, signal } = dependencies
  if ((await dueSource(dependencies)) === undefined) return
  await using lease = await leases.take(leaseName, signal)
  // Another replica may have replaced it since.
  const source = lease === undefined ? undefined : await dueSource(dependencies)
  if (lease === undefined || source === undefined) return
  if (source === 'bootstrap' || (await findCategoryList(db, config.platform)) === undefined)
    await replaceCategories(db, config.platform, {
      categories: bootstrapCategories,
      source: 'bootstrap',
      now: now(),
    })
  if (source === 'bootstrap') return
  const categories = await fromApi(dependencies, lease.signal)
  await replaceCategories(db, config.platform, { categories, source, now: now() })
  log.info({ categories: categories.length }, 'categories: list replaced')
}

/** Replaces the list of categories whenever it is due, until the signal of the dependencies aborts. */
export const openCategories = (dependencies: RefreshDependencies): Rounds => {
  const { log, signal } = dependencies
  return startRounds({
    milliseconds: roundMilliseconds,
    startsAtOnce: true,
    signal,
    round: () => refreshCategories(dependencies),
    onFailure: (error) => log.warn({ err: error }, 'categories: list not replaced, trying again in an hour'),
  })
}
