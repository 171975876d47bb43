import { clusterMissing } from '../cluster/support/programs.ts'

/** Loaded lazily. BENCH_OPERATOR is a comma-separated list of parts to run; all by default. */
const parts: Record<string, () => Promise<string[]>> = {
  searches: async () => (await import('./operator/waiting.ts')).benchSearches(),
  claims: async () => (await import('./operator/waiting.ts')).benchClaims(),
  throughput: async () => (await import('./operator/scale.ts')).benchThroughput(),
  replacement: async () => (await import('./operator/scale.ts')).benchReplacement(),
}

/** Measures the operator on the cluster of KUBECONFIG, part by part. */
export async function* benchOperator(): AsyncGenerator<string[]> {
  if (clusterMissing !== undefined) throw new Error(`The operator cannot be measured here: ${clusterMissing}.`)
  const selected = process.env.BENCH_OPERATOR?.split(',') ?? Object.keys(parts)
  for (const name of selected) {
    const measure = parts[name]
    if (!measure) throw new Error(`BENCH_OPERATOR names an unknown part. Use ${Object.keys(parts).join(', ')}.`)
    yield await measure()
  }
}
