import type { Metrics } from '@trellis/kit/telemetry'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request arrived, by the monotonic clock. */
    startedAt: number
  }
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Records that a request was answered with a status. */
export type Answered = (request: FastifyRequest, status: number) => void

/**
 * Measures requests by method, route and status, streams and downloads until their end. Each route holds its own
 * series and records the end itself, because a framework hook for every response would cost a tenth of a small request.
 */
export const createRequestDurations = (metrics: Metrics) => {
  const addSeries = metrics.durations({
    name: 'trellis_http_request_duration_seconds',
    help: 'Time from request to answer.',
    buckets,
  })
  const known = new Map<string, Answered>()
  return (method: string, route: string): Answered => {
    const key = `${method} ${route}`
    const found = known.get(key)
    if (found) return found
    const series = new Map<number, (seconds: number) => void>()
    const answered: Answered = (request, status) => {
      let observe = series.get(status)
      if (!observe) {
        observe = addSeries({ method, route, status: String(status) })
        series.set(status, observe)
      }
      observe((performance.now() - request.startedAt) / 1_000)
    }
    known.set(key, answered)
    return answered
  }
}

export type RequestDurations = ReturnType<typeof createRequestDurations>
