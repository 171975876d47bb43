import { isServiceError, type ServiceError, serviceError } from '@trellis/kit/errors'

/** The content of an upload; throws `too_large` where it exceeds the limit. */
export async function* uploadWithin(content: AsyncIterable<Uint8Array>, megabytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of content) {
    size += chunk.byteLength
    if (size > megabytes * 1_000_000) throw serviceError('too_large', `The file is larger than ${megabytes} MB.`)
    yield chunk
  }
}

/** Blames the file for the loss of the worker that read it: the error is the client's, not the server's. */
export const blameUpload = (error: unknown): ServiceError | unknown =>
  isServiceError(error, 'internal') || isServiceError(error, 'upstream_timeout')
    ? serviceError('invalid', 'The file could not be decoded within the limits of time and memory.', { cause: error })
    : error

/**
 * Time limit in seconds of decoding and analysing an upload of at most this length. Twenty minutes took 50 s of processor time,
 * which are several minutes on a machine that is busy with other work; files that take far longer are hostile.
 */
export const ingestSeconds = (maxSeconds: number): number => 120 + Math.ceil(maxSeconds / 2)
