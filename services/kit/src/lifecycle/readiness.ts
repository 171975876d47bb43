/** Whether the process can serve: named checks, each giving the reason why not, or undefined. */
export const createReadiness = () => {
  const checks = new Map<string, () => string | undefined>()
  return {
    add: (name: string, check: () => string | undefined) => {
      checks.set(name, check)
    },
    /** What is not ready, by name; empty when all is. */
    missing: (): Record<string, string> =>
      Object.fromEntries(
        [...checks].flatMap(([name, check]) => {
          const reason = check()
          return reason === undefined ? [] : [[name, reason]]
        }),
      ),
  }
}

export type Readiness = ReturnType<typeof createReadiness>
