/** The outcome of a request: an HTTP status, no answer, or a gRPC status. */
export type Outcome = number | 'no answer' | `grpc ${number}`

const maxFaults = 20

/** Whether an answer is a fault: any 5xx except 503 (busy), and UNKNOWN, INTERNAL and DATA_LOSS of gRPC. */
const isFault = (outcome: Outcome): boolean =>
  typeof outcome === 'number' ? outcome >= 500 && outcome !== 503 : /^grpc (2|13|15)$/.test(outcome)

/** Counts requests by kind and outcome, and collects faults and failed expectations as sentences. */
export const createTally = () => {
  const counts = new Map<string, Map<Outcome, number>>()
  const faults: string[] = []
  const fail = (fault: string): void => {
    if (faults.length < maxFaults) faults.push(fault)
  }
  return {
    fail,
    /** `detail` describes the request and its answer; it is called for faults only. */
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
    /** A line for each kind with the number of requests by outcome. */
    lines: (): string[] =>
      [...counts].toSorted().map(([kind, ofKind]) => {
        const parts = [...ofKind].toSorted(([a], [b]) => String(a).localeCompare(String(b)))
        return `  ${kind.padEnd(28)} ${parts.map(([outcome, count]) => `${outcome}: ${count}`).join(', ')}`
      }),
  }
}

export type Tally = ReturnType<typeof createTally>
