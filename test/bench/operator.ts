import { clusterMissing } from '../cluster/support/programs.ts'

/** Loaded when their turn comes. BENCH_OPERATOR names those that are wanted, commas between; all of them unless set. */
const parts: Record<string, () => Promise<string[]>> = {
  searches: async () => (await import('./operator/waiting.ts')).benchSearches(),
  claims: async () => (await import('./operator/waiting.ts')).benchClaims(),
  throughput: async () => (await import('./operator/scale.ts')).benchThroughput(),
  replacement: async () => (await import('./operator/scale.ts')).benchReplacement(),
}

/** The operator on the cluster that KUBECONFIG names, part by part. */
export async function* benchOperator(): AsyncGenerator<string[]> {
  if (clusterMissing !== undefined) throw new Error(`The operator cannot be measured here: ${clusterMissing}.`)
  const desired = process.env.BENCH_OPERATOR?.split(',') ?? Object.keys(parts)
  for (const name of desired) {
    const measure = parts[name]
    if (!measure) throw new Error(`BENCH_OPERATOR may name ${Object.keys(parts).join(', ')}.`)
    yield await measure()
  }
}
