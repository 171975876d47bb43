import type { Keep } from './part.ts'

/** What is kept of one file, by names of its own. */
export type CacheShelf = {
  get: <Value>(name: string | number) => Value | undefined
  set: (name: string | number, value: unknown, bytes: number) => void
  /** Forgets all that is on it. */
  clear: () => void
}

/** Keeps what was read or unpacked, up to a number of bytes in all; what was not used for long goes first. */
export type ByteCache = {
  shelf: () => CacheShelf
  clear: () => void
  readonly bytes: number
}

type Kept = { value: unknown; bytes: number; isUsed: boolean; leave: () => void }

/**
 * Made room in by second chances (Corbató, "A Paging Experiment with the Multics System", 1968): a thing that was used since it was looked
 * at last is passed over once. To use one costs no more than finding it, and columns of an entry are found by the million.
 */
export const createByteCache = (limitBytes: number): ByteCache => {
  /** In the order in which they are to be looked at. */
  const all = new Set<Kept>()
  let total = 0
  const remove = (kept: Kept) => {
    if (!all.delete(kept)) return
    total -= kept.bytes
    kept.leave()
  }
  const makeRoom = () => {
    for (const kept of all) {
      if (total <= limitBytes) return
      if (kept.isUsed) {
        kept.isUsed = false
        all.delete(kept)
        all.add(kept)
      } else remove(kept)
    }
  }
  const clear = (these: Iterable<Kept>) => {
    for (const kept of [...these]) remove(kept)
  }
  return {
    get bytes() {
      return total
    },
    shelf: () => {
      const named = new Map<string | number, Kept>()
      return {
        get: <Value>(name: string | number) => {
          const kept = named.get(name)
          if (!kept) return undefined
          kept.isUsed = true
          return kept.value as Value
        },
        set: (name, value, bytes) => {
          const before = named.get(name)
          if (before) remove(before)
          if (bytes > limitBytes) return
          const kept = { value, bytes, isUsed: false, leave: () => void named.delete(name) }
          named.set(name, kept)
          all.add(kept)
          total += bytes
          makeRoom()
        },
        clear: () => clear(named.values()),
      }
    },
    clear: () => clear(all),
  }
}

/** What it takes to keep anything, its name beside it. */
const keptBytes = 256

/** Finds what is not kept, and keeps it; who asks meanwhile waits for the same. */
export const createKeep = ({ get, set }: CacheShelf): Keep => {
  const underWay = new Map<string, Promise<unknown>>()
  return async <Value>(name: string, find: () => Promise<{ value: Value; bytes: number }>): Promise<Value> => {
    const known = get<Value>(name)
    if (known !== undefined) return known
    for (let begun = underWay.get(name); begun !== undefined; begun = underWay.get(name)) {
      const shared = (await begun) as { value: Value } | undefined
      if (shared) return shared.value
      // Who began may have given up, or failed: then this one tries.
    }
    const finding = find().finally(() => underWay.delete(name))
    underWay.set(
      name,
      finding.catch(() => undefined),
    )
    const { value, bytes } = await finding
    set(name, value, bytes + keptBytes)
    return value
  }
}
