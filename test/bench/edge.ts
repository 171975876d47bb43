import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anonymous } from '@trellis/kit/rpc'
import fastify from 'fastify'
import { EchoRequestFromRest, EchoResponseToRest } from '../probe/gen/edge/rest.ts'
import { EchoResponse } from '../probe/gen/ts/trellis/probe/v1/probe.ts'
import { probeHandlers } from '../probe/handlers.ts'
import { serveProbe, type Transport } from '../probe/serve.ts'
import { median, round } from './machine.ts'

const rounds = 5
const secondsEach = 2
const path = '/probe/api/echo/abc?limit=7&tags=x&tags=y&colour=red'

type Load = { perSecond: number; p50: number; p99: number; microseconds: number }

/** `microseconds`: what a request costs this process in CPU time, which other work on the machine disturbs least. */
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
  const handlers = probeHandlers({ streamsEnded: 0, aborted: [] })
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

/** Requests per second through the edge against plain Fastify, in turns, so that what else the machine does falls on all alike. */
export const benchEdge = async (): Promise<string[]> => {
  const served = {
    'plain Fastify': await servePlain(),
    'edge, in process': await serveProbe('in process' satisfies Transport),
    'edge, gRPC over TCP': await serveProbe('grpc over tcp' satisfies Transport),
  }
  const names = Object.keys(served) as (keyof typeof served)[]
  const results = new Map<string, Load[]>(names.map((name) => [name, []]))
  for (const name of names) await load(`${served[name].origin}${path}`)
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const name of names) results.get(name)?.push(await load(`${served[name].origin}${path}`))
  }
  for (const name of names) await served[name].close()
  const figure = (name: string, key: keyof Load) => median((results.get(name) ?? []).map((one) => one[key]))
  const plain = figure('plain Fastify', 'perSecond')
  return [
    `GET with a path and four query values, 16 connections, median of ${rounds} rounds of ${secondsEach} s, load from a second process:`,
    ...names.map((name) => {
      const perSecond = figure(name, 'perSecond')
      const ratio = `${round((100 * perSecond) / plain)} % of plain`
      return `  ${name.padEnd(20)} ${round(perSecond).padStart(8)} req/s  ${ratio.padStart(14)}  p99 ${round(figure(name, 'p99'), 1)} ms  ${round(figure(name, 'microseconds'), 1)} us CPU a request`
    }),
  ]
}
