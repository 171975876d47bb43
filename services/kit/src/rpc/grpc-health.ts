import { setTimeout as sleep } from 'node:timers/promises'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { type Implementation, implementation } from './call.ts'

const pollMilliseconds = 500

/** The standard health service for Kubernetes and gRPC clients: reports the process (no name) and each of its services. */
export const healthService = (
  names: readonly string[],
  isReady: () => boolean,
  /** Aborted when the server drains; watchers get a last status and their stream ends. */
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
        await sleep(pollMilliseconds, undefined, { signal: either }).catch(() => undefined)
      }
    },
  })
}
