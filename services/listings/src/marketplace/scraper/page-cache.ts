export type PageCacheOptions = {
  readonly lifetimeMilliseconds: number
  /** Most characters held, all pages together; the pages used least recently go first. */
  readonly mostCharacters: number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

export type PageCache = {
  /** The page at an address: held, being fetched by another, or fetched now. Failures are held by nobody. */
  readonly get: (address: string, load: () => Promise<string>) => Promise<string>
}

type Entry = { readonly page: string; readonly goodUntil: number }

/** A bounded cache of pages in which equal requests at the same time share one fetch. */
export const createPageCache = ({ lifetimeMilliseconds, mostCharacters, clock }: PageCacheOptions): PageCache => {
  const held = new Map<string, Entry>()
  const loading = new Map<string, Promise<string>>()
  let characters = 0

  const drop = (address: string) => {
    characters -= held.get(address)?.page.length ?? 0
    held.delete(address)
  }

  const keep = (address: string, page: string) => {
    drop(address)
    if (page.length > mostCharacters) return
    held.set(address, { page, goodUntil: clock() + lifetimeMilliseconds })
    characters += page.length
    for (const oldest of held.keys()) {
      if (characters <= mostCharacters) break
      drop(oldest)
    }
  }

  const load = async (address: string, from: () => Promise<string>): Promise<string> => {
    const fetching = from().finally(() => loading.delete(address))
    loading.set(address, fetching)
    const page = await fetching
    keep(address, page)
    return page
  }

  return {
    get: async (address, from) => {
      const entry = held.get(address)
      if (entry !== undefined && entry.goodUntil > clock()) {
        held.delete(address)
        held.set(address, entry)
        return entry.page
      }
      return loading.get(address) ?? load(address, from)
    },
  }
}
