import { isMarketplaceFailure } from '../failures.ts'

export type PageCacheOptions = {
  readonly lifetimeMilliseconds: number
  /** Maximum characters, or bytes, of all cached pages together; the least recently used are evicted first. */
  readonly maxCharacters: number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

/** A cached response, whose size is that of its body: characters of text, or bytes. */
export type CachedPage = { readonly body: { readonly length: number } }

export type PageCache<Page extends CachedPage> = {
  /** The page under a key: cached, being fetched by another caller, or fetched now. Failures are not cached. */
  readonly get: (key: string, load: () => Promise<Page>) => Promise<Page>
}

/** A bounded cache of pages in which equal concurrent requests share one fetch. */
export const createPageCache = <Page extends CachedPage>({
  lifetimeMilliseconds,
  maxCharacters,
  clock,
}: PageCacheOptions): PageCache<Page> => {
  const held = new Map<string, { readonly page: Page; readonly goodUntil: number }>()
  const loading = new Map<string, Promise<Page>>()
  let characters = 0

  const drop = (key: string) => {
    characters -= held.get(key)?.page.body.length ?? 0
    held.delete(key)
  }

  const store = (key: string, page: Page) => {
    drop(key)
    if (page.body.length > maxCharacters) return
    held.set(key, { page, goodUntil: clock() + lifetimeMilliseconds })
    characters += page.body.length
    for (const oldest of held.keys()) {
      if (characters <= maxCharacters) break
      drop(oldest)
    }
  }

  const load = async (key: string, from: () => Promise<Page>): Promise<Page> => {
    const fetching = from().finally(() => loading.delete(key))
    loading.set(key, fetching)
    const page = await fetching
    store(key, page)
    return page
  }

  const get = async (key: string, from: () => Promise<Page>): Promise<Page> => {
    const entry = held.get(key)
    if (entry !== undefined && entry.goodUntil > clock()) {
      held.delete(key)
      held.set(key, entry)
      return entry.page
    }
    const shared = loading.get(key)
    if (shared === undefined) return load(key, from)
    return shared.catch((error: unknown) => {
      // The marketplace's failures apply to all callers; another caller's cancellation, which ends its request, does not.
      if (isMarketplaceFailure(error)) throw error
      return get(key, from)
    })
  }
  return { get }
}
