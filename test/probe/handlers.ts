import { createHash } from 'node:crypto'
import { type ErrorKind, errorKinds, messageOf, serviceError } from '@trellis/kit/errors'
import { byteFrames, type Call, type Handlers, readUpload } from '@trellis/kit/rpc'
import type { CountRequest, CountResponse, ProbeServiceDefinition } from './gen/ts/trellis/probe/v1/probe.ts'

/** What the handlers recorded, for tests to inspect. */
export type ProbeState = {
  streamsEnded: number
  /** Uploads in progress. */
  uploading: number
  /** Why uploads failed. */
  aborted: string[]
  /** Awaited by each call of `start`. */
  whileStarting?: (signal: AbortSignal) => Promise<void>
  /** Awaited before the first part of an upload is read. */
  beforeUpload?: (() => Promise<void>) | undefined
}

export const createProbeState = (): ProbeState => ({ streamsEnded: 0, uploading: 0, aborted: [] })

const pattern = (start: number, end: number) =>
  Buffer.from(Array.from({ length: end - start }, (_, index) => 97 + ((start + index) % 26)))

async function* read({ start, end }: { start: number; end: number }) {
  for (let position = start; position < end; position += 65_536)
    yield pattern(position, Math.min(end, position + 65_536))
}

/** The content of a file that was removed after its size had been read. */
async function* readRemoved(): AsyncGenerator<Uint8Array> {
  yield* []
  throw serviceError('not_found', 'The file has just been removed.')
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function* count(
  { to, lastEventId, behaviour }: CountRequest,
  signal: AbortSignal,
): AsyncGenerator<CountResponse> {
  if (behaviour === 'not_found') throw serviceError('not_found', 'There is nothing to count.')
  yield { eventId: '', event: null }
  for (let number = Number(lastEventId ?? 0) + 1; number <= to; number += 1) {
    yield { eventId: String(number), event: { $case: 'counted', value: { number } } }
  }
  if (behaviour === 'late') throw serviceError('upstream_failed', 'The abacus broke.')
  if (behaviour === 'forever') await untilAborted(signal)
  yield { eventId: '', event: { $case: 'spelledOut', value: { number: to } } }
  yield { eventId: '', event: { $case: 'done', value: { reason: undefined } } }
}

const observed = async <Result>(state: ProbeState, read: () => Promise<Result>): Promise<Result> => {
  state.uploading += 1
  try {
    await state.beforeUpload?.()
    return await read()
  } catch (error) {
    state.aborted.push(messageOf(error))
    throw error
  } finally {
    state.uploading -= 1
  }
}

const uploaded = async (messages: Parameters<typeof readUpload>[0]) => {
  const { parameters, parts } = await readUpload(messages)
  const files: string[] = []
  const sizes: number[] = []
  const digests: string[] = []
  const fields: Record<string, string> = {}
  for await (const part of parts) {
    if (part.kind === 'field') {
      fields[part.name] = part.value
      continue
    }
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of part.content) {
      hash.update(chunk)
      size += chunk.byteLength
    }
    files.push(part.filename)
    sizes.push(size)
    digests.push(hash.digest('hex'))
  }
  return { parameters, files, sizes, digests, fields }
}

const isKind = (kind: string): kind is ErrorKind => Object.hasOwn(errorKinds, kind)

export const probeHandlers = (state: ProbeState): Handlers<typeof ProbeServiceDefinition> => ({
  echo: async ({ word: _, ...request }, call: Call) => {
    if (call.traceparent !== undefined) call.head.header('x-seen-traceparent', call.traceparent)
    return {
      ...request,
      limit: request.limit ?? 0,
      userId: call.caller.userId,
      tier: call.caller.tier,
      requestId: call.requestId,
      counts: { one: 1 },
      free: '{"a":[1,null]}',
    }
  },
  createThing: async (request, call) => {
    if (request.name === 'taken') throw serviceError('conflict', 'There is a thing of that name already.')
    call.head.header('location', '/probe/api/things/t1')
    call.head.header('set-cookie', 'a=1; Path=/probe')
    return { id: 't1', ...request }
  },
  updateThing: async (request) => {
    const named = request.updateMask ?? []
    const values: Record<string, unknown> = { name: request.name, size: request.size }
    return {
      set: named.filter((name) => values[name] !== undefined && values[name] !== null),
      cleared: named.filter((name) => values[name] === undefined || values[name] === null),
    }
  },
  deleteThing: async (request) => {
    if (request.id === 'unknown') throw serviceError('not_found', 'There is no thing "unknown".')
    return {}
  },
  fail: async ({ kind, detail }) => {
    if (isKind(kind)) throw serviceError(kind, detail, { retryAfterSeconds: 1.2, headers: { 'x-why': 'requested' } })
    throw new Error('secret text')
  },
  async *count(request, call) {
    try {
      yield* count(request, call.signal)
    } finally {
      state.streamsEnded += 1
    }
  },
  download: ({ size, filename, range }, call) => {
    if (size < 0) throw serviceError('not_found', 'There is nothing to download.')
    call.head.header('cache-control', 'private')
    const content = { mediaType: 'text/plain', size, etag: '"v1"', ...(filename ? { filename } : {}) }
    return byteFrames({ ...content, read: filename === 'removed.txt' ? readRemoved : read }, range)
  },
  upload: async (messages, call) => {
    const { parameters, ...rest } = await observed(state, () => uploaded(messages))
    if (typeof parameters === 'object' && parameters !== null && 'wait' in parameters && parameters.wait)
      call.head.status(200)
    if (rest.files.includes('bad.bin')) throw serviceError('unsupported_media', 'That file is not accepted here.')
    return rest
  },
  push: async (messages) => {
    const { parameters: _, ...rest } = await observed(state, () => uploaded(messages))
    return rest
  },
  start: async (_request, call) => {
    await state.whileStarting?.(call.signal)
    return { id: 'started' }
  },
  guarded: async () => ({ id: 'guarded' }),
  administered: async () => ({ id: 'administered' }),
})
