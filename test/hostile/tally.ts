/** What came back of requests: a status, or how an exchange without one ended. */
export type Outcome = number | 'no answer' | `grpc ${number}`

const maxFaults = 20

/** Answers that no client may cause: 503 says that the installation is busy, any other 5xx is a fault. So are UNKNOWN, INTERNAL and DATA_LOSS of gRPC. */
const isFault = (outcome: Outcome): boolean =>
  typeof outcome === 'number' ? outcome >= 500 && outcome !== 503 : /^grpc (2|13|15)$/.test(outcome)

/** Counts requests by kind and outcome, and collects faults and broken expectations in words. */
export const createTally = () => {
  const counts = new Map<string, Map<Outcome, number>>()
  const faults: string[] = []
  const fail = (fault: string): void => {
    if (faults.length < maxFaults) faults.push(fault)
  }
  return {
    fail,
    /** `detail` names the request and shows its answer where it is a fault. */
    add: (kind: string, outcome: Outcome, detail: () => string): void => {
      const ofKind = counts.get(kind) ?? new Map<Outcome, number>()
      ofKind.set(outcome, (ofKind.get(outcome) ?? 0) + 1)
      counts.set(kind, ofKind)
      if (isFault(outcome)) fail(`${kind}: ${outcome} for ${detail().slice(0, 400)}`)
    },
    faults: (): readonly string[] => faults,
    count: (kind: string, outcome?: Outcome): number => {
      const ofKind = counts.get(kind) ?? new Map<Outcome, number>()
      return outcome === undefined ? ofKind.values().reduce((sum, one) => sum + one, 0) : (ofKind.get(outcome) ?? 0)
    },
    /** A line for each kind: how many requests of each outcome. */
    lines: (): string[] =>
      [...counts].toSorted().map(([kind, ofKind]) => {
        const parts = [...ofKind].toSorted(([a], [b]) => String(a).localeCompare(String(b)))
        return `  ${kind.padEnd(28)} ${parts.map(([outcome, count]) => `${outcome}: ${count}`).join(', ')}`
      }),
  }
}

export type Tally = ReturnType<typeof createTally>
