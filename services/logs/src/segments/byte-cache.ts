import type { Memoize } from './part.ts'

/** The cached values of one file, by name. */
export type CacheShelf = {
  get: <Value>(name: string | number) => Value | undefined
  set: (name: string | number, value: unknown, bytes: number) => void
  /** Removes all values of the shelf. */
  clear: () => void
}

/** A cache of data that was read or decompressed, with a limit on its bytes; values that are not used are evicted first. */
export type ByteCache = {
  shelf: () => CacheShelf
  clear: () => void
  readonly bytes: number
}

type Cached = { value: unknown; bytes: number; isUsed: boolean; leave: () => void }

/**
 * Evicts by the second-chance algorithm (Corbató, "A Paging Experiment with the Multics System", 1968): a value that was used since it was last
 * considered is spared once. A use costs no more than a lookup, and columns of entries are looked up by the million.
 */
export const createByteCache = (limitBytes: number): ByteCache => {
  /** In eviction order. */
  const all = new Set<Cached>()
  let total = 0
  const remove = (cached: Cached) => {
    if (!all.delete(cached)) return
    total -= cached.bytes
    cached.leave()
  }
  const evict = () => {
    for (const cached of all) {
      if (total <= limitBytes) return
      if (cached.isUsed) {
        cached.isUsed = false
        all.delete(cached)
        all.add(cached)
      } else remove(cached)
    }
  }
  const clear = (these: Iterable<Cached>) => {
    for (const cached of [...these]) remove(cached)
  }
  return {
    get bytes() {
      return total
    },
    shelf: () => {
      const named = new Map<string | number, Cached>()
      return {
        get: <Value>(name: string | number) => {
          const cached = named.get(name)
          if (!cached) return undefined
          cached.isUsed = true
          return cached.value as Value
        },
        set: (name, value, bytes) => {
          const before = named.get(name)
          if (before) remove(before)
          if (bytes > limitBytes) return
          const cached = { value, bytes, isUsed: false, leave: () => void named.delete(name) }
          named.set(name, cached)
          all.add(cached)
          total += bytes
          evict()
        },
        clear: () => clear(named.values()),
      }
    },
    clear: () => clear(all),
  }
}

/** Estimated overhead of a cached value and its name, in bytes. */
const overheadBytes = 256

/** Caches computed values; concurrent callers of the same name share one computation. */
export const createMemoizer = ({ get, set }: CacheShelf): Memoize => {
  const underWay = new Map<string, Promise<unknown>>()
  return async <Value>(name: string, find: () => Promise<{ value: Value; bytes: number }>): Promise<Value> => {
    const known = get<Value>(name)
    if (known !== undefined) return known
    for (let begun = underWay.get(name); begun !== undefined; begun = underWay.get(name)) {
      const shared = (await begun) as { value: Value } | undefined
      if (shared) return shared.value
      // The other caller may have disconnected or failed: then this one computes the value.
    }
    const finding = find().finally(() => underWay.delete(name))
    underWay.set(
      name,
      finding.catch(() => undefined),
    )
    const { value, bytes } = await finding
    set(name, value, bytes + overheadBytes)
    return value
  }
}
