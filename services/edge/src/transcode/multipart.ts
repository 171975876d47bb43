import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { cancelled, isServiceError, serviceError } from '@trellis/kit/errors'
import type { FastifyRequest } from 'fastify'
import { onRequestLost } from './request-lost.ts'

type Part =
  | { $case: 'field'; value: { name: string; value: string } }
  | { $case: 'file'; value: { name: string; filename: string; mediaType: string } }
  | { $case: 'chunk'; value: Uint8Array }

type Arrived =
  | { kind: 'part'; part: Part; stream?: BusboyFileStream }
  | { kind: 'end' }
  | { kind: 'error'; error: unknown }

const limits = { fields: 100, fieldNameSize: 200, fieldSize: 64 * 1024, files: 100, parts: 200, headerPairs: 50 }

/** Buffers the parser's events for the reader. Files apply backpressure to the parser, so only small fields accumulate. */
const createMailbox = () => {
  const waiting: Arrived[] = []
  let wake: (() => void) | undefined
  return {
    put: (arrived: Arrived) => {
      waiting.push(arrived)
      wake?.()
    },
    take: async (): Promise<Arrived> => {
      for (;;) {
        const next = waiting.shift()
        if (next) return next
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const openParser = (request: FastifyRequest) => {
  try {
    return new Busboy({ headers: request.headers as BusboyHeaders, limits })
  } catch (cause) {
    throw serviceError('malformed', 'The multipart form cannot be read. Its Content-Type must have a boundary.', {
      cause,
    })
  }
}

const malformed = (cause: unknown) =>
  serviceError('malformed', 'The multipart form is truncated or malformed.', { cause })

/** A file name as the user wrote it: of all characters, browsers escape only the quotation mark and line breaks (WHATWG HTML, multipart form data). */
const fileNameOf = (sent: string | undefined): string => (sent ?? '').replaceAll('%22', '"')

/**
 * Yields the parts of a multipart form as they arrive, with backpressure from the consumer to the network:
 * a file of any size needs a few hundred kilobytes of memory.
 */
export async function* multipartParts(request: FastifyRequest): AsyncGenerator<Part> {
  const mailbox = createMailbox()
  const parser = openParser(request)
  let file: BusboyFileStream | undefined
  parser.on('field', (name, value, _nameCut, valueCut) => {
    const error = serviceError('too_large', `The form field "${name}" is longer than ${limits.fieldSize} characters.`)
    mailbox.put(
      valueCut ? { kind: 'error', error } : { kind: 'part', part: { $case: 'field', value: { name, value } } },
    )
  })
  parser.on('file', (name, stream, filename, _encoding, mediaType) => {
    file = stream
    stream.on('error', (error) => mailbox.put({ kind: 'error', error: malformed(error) }))
    mailbox.put({
      kind: 'part',
      part: { $case: 'file', value: { name, filename: fileNameOf(filename), mediaType } },
      stream,
    })
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () =>
      mailbox.put({ kind: 'error', error: serviceError('too_large', 'The form has too many parts.') }),
    )
  }
  parser.on('error', (error) => mailbox.put({ kind: 'error', error: malformed(error) }))
  parser.on('finish', () => mailbox.put({ kind: 'end' }))
  // Destroying the parser does not end its files, whose readers would wait for ever.
  const unlink = onRequestLost(request.raw, () => {
    mailbox.put({ kind: 'error', error: cancelled() })
    file?.destroy(cancelled())
    parser.destroy()
  })
  request.raw.pipe(parser)
  try {
    for (let arrived = await mailbox.take(); arrived.kind !== 'end'; arrived = await mailbox.take()) {
      if (arrived.kind === 'error') throw arrived.error
      yield arrived.part
      if (!arrived.stream) continue
      try {
        for await (const chunk of arrived.stream) yield { $case: 'chunk', value: chunk as Uint8Array }
      } catch (error) {
        throw isServiceError(error) ? error : malformed(error)
      }
    }
  } finally {
    unlink()
    request.raw.unpipe(parser)
    request.raw.resume()
  }
}
