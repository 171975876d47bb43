/** Limits concurrent operations per caller, except for exempt callers; 0 disables the limit. */
export const createConcurrencyLimiter = (limit: number, isExempt: (caller: string) => boolean = () => false) => {
  const counts = new Map<string, number>()
  return {
    /** Open operations of all callers. */
    size: (): number => counts.values().reduce((sum, count) => sum + count, 0),
    /** Whether the caller may start another operation; if so, `end` must be called for it. */
    begin: (caller: string): boolean => {
      const count = counts.get(caller) ?? 0
      if (limit > 0 && count >= limit && !isExempt(caller)) return false
      counts.set(caller, count + 1)
      return true
    },
    end: (caller: string): void => {
      const count = (counts.get(caller) ?? 1) - 1
      if (count > 0) counts.set(caller, count)
      else counts.delete(caller)
    },
  }
}

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>
