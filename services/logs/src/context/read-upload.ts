import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Upload } from '@trellis/kit/rpc'
import type { UploadContextDocsParameters } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { docLimits, type NewDoc } from './docs.ts'

const maxFiles = 50
/** At most four bytes per character, and a byte order mark. */
const maxBytes = docLimits.characters * 4 + 4
const extensions = ['.md', '.markdown', '.txt']

const readAll = async (content: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw serviceError('too_large', `${name} is larger than ${docLimits.characters} characters: split it.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const decodings: readonly { mark: readonly number[]; encoding: string }[] = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
]

/** Decodes UTF-8, or UTF-16 with a byte order mark. Throws `unsupported_media` for anything else. */
export const decodeText = (bytes: Uint8Array, name: string): string => {
  const encoding = decodings.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))?.encoding ?? 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Reported below.
  }
  throw serviceError('unsupported_media', `${name} is not text in UTF-8 or UTF-16.`)
}

/** The first heading of the first level, else the file's name without its extension. */
const titleOf = (text: string, filename: string): string => {
  const [, heading = ''] = /^# +(.+?) *#*$/m.exec(text.slice(0, 4_000)) ?? []
  const title = heading === '' ? filename.replace(/^.*[/\\]/, '').replace(/\.[a-z]+$/i, '') : heading
  return title.trim().slice(0, docLimits.titleCharacters) || 'Untitled'
}

/** The documents of an upload. Throws for files that are not documents. */
export const readUploadedDocs = async ({
  parameters,
  parts,
}: Upload<UploadContextDocsParameters>): Promise<NewDoc[]> => {
  const fields = { title: parameters.title ?? '', tags: parameters.tags ?? '' }
  const files: { name: string; text: string }[] = []
  for await (const part of parts) {
    if (part.kind === 'field') {
      if (part.name === 'title' || part.name === 'tags') fields[part.name] = part.value
      continue
    }
    const name = part.filename || part.name || 'the file'
    if (!extensions.some((extension) => name.toLowerCase().endsWith(extension)))
      throw serviceError('unsupported_media', `${name} is not a document: only ${extensions.join(', ')} are accepted.`)
    if (files.length === maxFiles) throw serviceError('too_large', `At most ${maxFiles} files are accepted at once.`)
    files.push({ name, text: decodeText(await readAll(part.content, name), name) })
  }
  if (files.length === 0)
    throw invalidField(['body', 'file'], 'The form has no file: add a .md or .txt file as "file".')
  const tags = fields.tags.split(',')
  const title = files.length === 1 ? fields.title.trim() : ''
  return files.map(({ name, text }) => ({ title: title || titleOf(text, name), text, tags }))
}
