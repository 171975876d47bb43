/** What is open or in progress by caller, up to a limit for each, save those that are exempt; 0: no limit. */
export const createConcurrencyLimiter = (limit: number, isExempt: (caller: string) => boolean = () => false) => {
  const counts = new Map<string, number>()
  return {
    /** What is open of all callers. */
    size: (): number => counts.values().reduce((sum, count) => sum + count, 0),
    /** Whether the caller may begin one more; `end` must be called for it then. */
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
