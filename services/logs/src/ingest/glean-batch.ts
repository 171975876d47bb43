import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { GleanBatchParameters, GleanBatchResponse } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Dependencies } from '../dependencies.ts'
import type { PushedOptions } from './read-pushed.ts'
import { gunzip } from './unpack/gunzip.ts'

/** What a batch is kept with. */
export type Intake = Pick<Dependencies, 'pressure' | 'now'> & {
  engine: Pick<Dependencies['engine'], 'ingestPushed'>
  config: Pick<Dependencies['config'], 'maxBatchMegabytes'>
} & Pick<PushedOptions, 'owner' | 'pseudonymKey'>

/** Ways of packing a body; without one it is as it is. */
const isGzipped: Record<string, boolean> = { '': false, identity: false, gzip: true, 'x-gzip': true }

/** Throws `unsupported_media`. */
const isGzip = (encoding: string | null | undefined): boolean => {
  const name = (encoding ?? '').trim().toLowerCase()
  const known = Object.hasOwn(isGzipped, name) ? isGzipped[name] : undefined
  if (known !== undefined) return known
  throw serviceError(
    'unsupported_media',
    `A body packed as "${name.slice(0, 40)}" is not read here: send it as gzip, or as it is.`,
  )
}

type BodyOptions = { isGzip: boolean; maxBytes: number; hold: (bytes: number) => void }

const readBody = async (
  content: AsyncIterable<Uint8Array>,
  { isGzip, maxBytes, hold }: BodyOptions,
): Promise<Uint8Array<ArrayBuffer>> => {
  const source = isGzip ? gunzip(content) : content
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of source) {
      size += part.length
      if (size > maxBytes)
        throw serviceError(
          'too_large',
          `A batch may have ${Math.round(maxBytes / 1024 / 1024)} MB, unpacked (SERVICE_MAX_BATCH_MB). Send it in parts.`,
        )
      hold(part.length)
      parts.push(part)
    }
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isBroken ? serviceError('malformed', 'The gzip body breaks off or is damaged.', { cause: error }) : error
  }
  // A buffer of its own, for it is handed on.
  const body = new Uint8Array(size)
  let offset = 0
  for (const part of parts) {
    body.set(part, offset)
    offset += part.length
  }
  return body
}

/** A disk or a server that does not take entries is no fault of who sends them: they may come again. */
const toUnavailable = (cause: unknown): never => {
  if (isServiceError(cause)) throw cause
  throw serviceError('unavailable', 'Not all entries could be kept. Sending them again keeps the rest.', {
    cause,
    retryAfterSeconds: 5,
  })
}

/** Keeps a pushed batch; answers when all of it is durable. The same batch twice stores nothing twice. */
export const receiveBatch = async (
  { engine, pressure, config, now, owner, pseudonymKey }: Intake,
  { sourceId, contentEncoding }: GleanBatchParameters,
  content: AsyncIterable<Uint8Array>,
): Promise<GleanBatchResponse> => {
  using held = pressure.begin()
  const body = await readBody(content, {
    isGzip: isGzip(contentEncoding),
    maxBytes: config.maxBatchMegabytes * 1024 * 1024,
    hold: held.hold,
  })
  const options = { sourceId: sourceId ?? undefined, arrived: now(), owner, pseudonymKey }
  const { entries, duplicates, rejected } = await engine.ingestPushed(body, options).catch(toUnavailable)
  return { accepted: entries, duplicates, rejected }
}
