import { setTimeout as sleep } from 'node:timers/promises'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { type Implementation, implementation } from './call.ts'

const askAgainMilliseconds = 500

/** The standard health service, which Kubernetes and gRPC clients ask: of the process (no name) and of each of its services. */
export const healthService = (
  names: readonly string[],
  isReady: () => boolean,
  /** Aborted when the server drains, which is the last that a watcher hears. */
  ending: AbortSignal,
): Implementation => {
  const known = new Set(['', ...names])
  const statusOf = (service: string) => {
    if (!known.has(service)) return 'SERVICE_UNKNOWN' as const
    return !ending.aborted && isReady() ? ('SERVING' as const) : ('NOT_SERVING' as const)
  }
  return implementation(HealthDefinition, {
    check: async ({ service }) => ({ status: statusOf(service) }),
    async *watch({ service }, { signal }) {
      const either = AbortSignal.any([signal, ending])
      let last: string | undefined
      for (;;) {
        const status = statusOf(service)
        if (status !== last) yield { status }
        last = status
        if (either.aborted) return
        await sleep(askAgainMilliseconds, undefined, { signal: either }).catch(() => undefined)
      }
    },
  })
}
