import type { FileStart, FormField } from '@trellis/protos/ts/trellis/http/v1/messages.ts'

/** The messages of a MULTIPART or BODY method, by the cases of their oneof `part`. */
type PartMessage<Parameters> = {
  part:
    | { $case: 'parameters'; value: Parameters }
    | { $case: 'field'; value: FormField }
    | { $case: 'file'; value: FileStart }
    | { $case: 'chunk'; value: Uint8Array }
    | null
}

export type UploadedFile = FileStart & {
  kind: 'file'
  /** To be read before the next part is requested; unread content is skipped. */
  content: AsyncIterable<Uint8Array>
}

export type UploadPart = ({ kind: 'field' } & FormField) | UploadedFile

export type Upload<Parameters> = {
  parameters: Parameters
  /** Fields and files in the order of the form; for a BODY method, one file without a name. */
  parts: AsyncIterable<UploadPart>
}

const emptyFile: FileStart = { name: '', filename: '', mediaType: '' }

/** Parses a streamed form or body as it arrives; only the current chunk is buffered. */
export const readUpload = async <Parameters>(
  messages: AsyncIterable<PartMessage<Parameters>>,
): Promise<Upload<Parameters>> => {
  const iterator = messages[Symbol.asyncIterator]()
  const next = async () => {
    const result = await iterator.next()
    return result.done ? undefined : result.value.part
  }
  const first = await next()
  if (first?.$case !== 'parameters') throw new TypeError('An upload must start with its parameters.')

  let ahead: Awaited<ReturnType<typeof next>>
  const chunks = async function* (start: Uint8Array | undefined) {
    if (start) yield start
    for (ahead = await next(); ahead?.$case === 'chunk'; ahead = await next()) yield ahead.value
  }

  async function* parts(): AsyncGenerator<UploadPart> {
    try {
      for (ahead = await next(); ahead; ) {
        const part = ahead
        if (part.$case === 'field') {
          yield { kind: 'field', ...part.value }
          ahead = await next()
          continue
        }
        const start = part.$case === 'file' ? part.value : emptyFile
        const content = chunks(part.$case === 'chunk' ? part.value : undefined)
        yield { kind: 'file', ...start, content }
        // Skips what the reader left of the file, to reach the next part.
        while (ahead === part || ahead?.$case === 'chunk') ahead = await next()
      }
    } finally {
      await iterator.return?.()
    }
  }
  return { parameters: first.value, parts: parts() }
}
