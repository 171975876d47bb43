import { Readable } from 'node:stream'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import { extract } from 'tar-stream'
import { type Member, maxMembers, modifiedAt, safePath } from './member.ts'
import type { Chunks } from './peeked.ts'

const explained = (error: unknown): unknown =>
  isServiceError(error)
    ? error
    : serviceError('malformed', 'The tar archive is truncated or damaged.', { cause: error })

/** Archives older than POSIX have no magic. The option is missing in the library's types. */
const options = { highWaterMark: 64 * 1024, allowUnknownFormat: true }

/** Iterates without closing the entry when the reader stops early, because that would destroy the archive. */
async function* contentOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const iterator = entry[Symbol.asyncIterator]()
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      if (next.value instanceof Uint8Array) yield next.value
  } catch (error) {
    throw explained(error)
  }
}

/** The files of a tar archive, in one pass. Throws `malformed` where it is truncated, after the content before that. */
export async function* tarMembers(content: Chunks): AsyncGenerator<Member> {
  const source = Readable.from(content)
  const archive = extract(options)
  let failed: Error | undefined
  source.on('error', (error) => {
    failed = error
    archive.destroy(error)
  })
  source.pipe(archive)
  let members = 0
  try {
    for await (const entry of archive) {
      if (++members > maxMembers)
        throw serviceError('too_large', `An archive may have ${maxMembers} files. Send it in parts.`)
      const { type, name, mtime } = entry.header
      if (type === 'file' || type === 'contiguous-file')
        yield { path: safePath(name), content: contentOf(entry), modified: modifiedAt(mtime) }
      else if (type !== 'directory') yield { path: safePath(name), skipped: 'is a link, a device or sparse' }
      entry.resume()
    }
    if (failed) throw failed
  } catch (error) {
    throw explained(failed ?? error)
  } finally {
    source.destroy()
    archive.destroy()
  }
}
