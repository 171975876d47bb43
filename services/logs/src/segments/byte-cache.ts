/** Keeps what was read or unpacked, by name, up to a number of bytes; what was not used longest goes first. */
export type ByteCache = {
  get: <Value>(name: string) => Value | undefined
  set: (name: string, value: unknown, bytes: number) => void
  /** Forgets all whose name starts so. */
  drop: (prefix: string) => void
  clear: () => void
  readonly bytes: number
}

export const createByteCache = (limitBytes: number): ByteCache => {
  const kept = new Map<string, { value: unknown; bytes: number }>()
  let total = 0
  const remove = (name: string) => {
    total -= kept.get(name)?.bytes ?? 0
    kept.delete(name)
  }
  return {
    get bytes() {
      return total
    },
    get: <Value>(name: string) => {
      const found = kept.get(name)
      if (!found) return undefined
      kept.delete(name)
      kept.set(name, found)
      return found.value as Value
    },
    set: (name, value, bytes) => {
      remove(name)
      if (bytes > limitBytes) return
      kept.set(name, { value, bytes })
      total += bytes
      for (const oldest of kept.keys()) {
        if (total <= limitBytes) break
        remove(oldest)
      }
    },
    drop: (prefix) => {
      for (const name of [...kept.keys()]) if (name.startsWith(prefix)) remove(name)
    },
    clear: () => {
      kept.clear()
      total = 0
    },
  }
}
