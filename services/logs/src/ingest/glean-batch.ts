import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { GleanBatchParameters, GleanBatchResponse } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Dependencies } from '../dependencies.ts'
import type { PushedOptions } from './read-pushed.ts'
import { gunzip } from './unpack/gunzip.ts'

/** Dependencies of the handler of pushed batches. */
export type Intake = Pick<Dependencies, 'pressure' | 'now'> & {
  engine: Pick<Dependencies['engine'], 'ingestPushed'>
  config: Pick<Dependencies['config'], 'maxBatchMegabytes'>
} & Pick<PushedOptions, 'owner' | 'pseudonymKey'>

/** Accepted content encodings. An empty encoding means an unencoded body. */
const isGzipped: Record<string, boolean> = { '': false, identity: false, gzip: true, 'x-gzip': true }

/** Throws `unsupported_media`. */
const isGzip = (encoding: string | null | undefined): boolean => {
  const name = (encoding ?? '').trim().toLowerCase()
  const known = Object.hasOwn(isGzipped, name) ? isGzipped[name] : undefined
  if (known !== undefined) return known
  throw serviceError(
    'unsupported_media',
    `The content encoding "${name.slice(0, 40)}" is not supported: send the body with gzip, or without an encoding.`,
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
          `A batch may have ${Math.round(maxBytes / 1024 / 1024)} MB, decompressed (SERVICE_MAX_BATCH_MB). Send it in parts.`,
        )
      hold(part.length)
      parts.push(part)
    }
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isBroken ? serviceError('malformed', 'The gzip body is truncated or damaged.', { cause: error }) : error
  }
  // A buffer of its own, because it is transferred to another thread.
  const body = new Uint8Array(size)
  let offset = 0
  for (const part of parts) {
    body.set(part, offset)
    offset += part.length
  }
  return body
}

/** Failures of the disk or of a server are not the sender's fault: the response is retryable. */
const toUnavailable = (cause: unknown): never => {
  if (isServiceError(cause)) throw cause
  throw serviceError('unavailable', 'Not all entries could be stored. Send the batch again to store the rest.', {
    cause,
    retryAfterSeconds: 5,
  })
}

/** Stores a pushed batch and resolves when all of it is durable. It is idempotent: sending a batch twice stores no duplicates. */
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
