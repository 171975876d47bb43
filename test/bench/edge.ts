import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anonymous } from '@trellis/kit/rpc'
import fastify from 'fastify'
import { EchoRequestFromRest, EchoResponseToRest } from '../probe/gen/edge/rest.ts'
import { EchoResponse } from '../probe/gen/ts/trellis/probe/v1/probe.ts'
import { createProbeState, probeHandlers } from '../probe/handlers.ts'
import { serveProbe, type Transport } from '../probe/serve.ts'
import { median, round } from './machine.ts'

const turns = 9
const secondsEach = 1
const path = '/probe/api/echo/abc?limit=7&tags=x&tags=y&colour=red'

/** The limits per caller are active, but no load reaches them. */
const unlimited = { RATE_LIMIT: '100000000' }

type Load = { perSecond: number; p50: number; p99: number; microseconds: number }

/** `microseconds` is the CPU time of this process per request, the figure that other work on the machine disturbs least. */
const load = async (url: string): Promise<Load> => {
  const before = process.cpuUsage()
  const script = fileURLToPath(new URL('./load.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, '16', String(secondsEach)])
  const { user, system } = process.cpuUsage(before)
  const result = JSON.parse(stdout) as Omit<Load, 'microseconds'>
  return { ...result, microseconds: (user + system) / (result.perSecond * secondsEach) }
}

/** The same handler and the same JSON behind Fastify alone: no validation, no identity, no metrics, no security headers. */
const servePlain = async () => {
  const handlers = probeHandlers(createProbeState())
  const head = { status: () => undefined, header: () => undefined }
  const signal = new AbortController().signal
  const server = fastify()
  server.get('/probe/api/echo/:id', async (request) => {
    const query = request.query as Record<string, unknown>
    const message = EchoRequestFromRest({
      ...query,
      limit: Number(query.limit),
      id: (request.params as { id: string }).id,
    })
    const call = { caller: anonymous, signal, requestId: request.id, traceparent: undefined, head }
    return EchoResponseToRest(EchoResponse.fromPartial(await handlers.echo(message, call)))
  })
  const origin = await server.listen({ host: '127.0.0.1', port: 0 })
  return { origin, close: () => server.close() }
}

/**
 * Requests per second through the edge compared with plain Fastify, in turns. A machine's speed drifts by more than the cost of
 * the edge, so each turn yields its own ratio, the order alternates, and the median ratio counts.
 */
export const benchEdge = async (): Promise<string[]> => {
  const served = {
    'plain Fastify': await servePlain(),
    'edge, in process': await serveProbe('in process' satisfies Transport, unlimited),
    'edge, gRPC over TCP': await serveProbe('grpc over tcp' satisfies Transport, unlimited),
  }
  const names = Object.keys(served) as (keyof typeof served)[]
  for (const name of names) await load(`${served[name].origin}${path}`)
  const results: Record<string, Load>[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const loads: Record<string, Load> = {}
    for (const name of turn % 2 === 0 ? names : names.toReversed()) {
      loads[name] = await load(`${served[name].origin}${path}`)
    }
    results.push(loads)
  }
  for (const name of names) await served[name].close()
  const figure = (name: string, key: keyof Load) => median(results.map((loads) => loads[name]?.[key] ?? Number.NaN))
  const ratios = (name: string) =>
    results
      .map((loads) => (100 * (loads[name]?.perSecond ?? 0)) / (loads['plain Fastify']?.perSecond ?? 1))
      .sort((one, other) => one - other)
  return [
    `GET with a path and four query values, 16 connections, median of ${turns} turns of ${secondsEach} s, load from a second process:`,
    ...names.map((name) => {
      const all = ratios(name)
      const ratio = `${round(median(all))} % of plain (${round(all[0] ?? 0)}-${round(all.at(-1) ?? 0)})`
      return `  ${name.padEnd(20)} ${round(figure(name, 'perSecond')).padStart(8)} req/s  ${ratio.padStart(26)}  p99 ${round(figure(name, 'p99'))} ms  ${round(figure(name, 'microseconds'), 1)} us CPU a request`
    }),
  ]
}
