import { isServiceError, serviceError } from '@trellis/kit/errors'
import { decompress } from './decompress.ts'
import type { FileExpansion } from './expansion.ts'
import { withElementsOnLines } from './json-elements.ts'
import type { Member } from './member.ts'
import { isArchive, isCompression, isUnreadable, type Packing } from './packing.ts'
import { type Chunks, type Peeked, peek } from './peeked.ts'
import type { Spool } from './spool.ts'
import { tarMembers } from './tar.ts'
import { toUtf8, withLineFeeds } from './transcode.ts'
import { withEventsOnLines } from './windows-events.ts'
import { zipMembers } from './zip.ts'

/**
 * A text of an upload. `path` is its path in an archive, undefined for a file that was sent by itself; `modified` is when it was last
 * modified, in epoch milliseconds, if an archive states it. A text that was not read, or not completely, has a reason that follows its name.
 */
export type Unpacked =
  | { path: string | undefined; content: Chunks; modified: number | undefined }
  | { path: string; skipped: string }

export type UnpackOptions = { expansion: FileExpansion; spool: Spool }

async function* counted(content: Chunks, { packed }: FileExpansion): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    packed(chunk.length)
    yield chunk
  }
}

const textOf = ({ packing, content }: Peeked): Chunks =>
  withElementsOnLines(
    withEventsOnLines(
      withLineFeeds(packing === 'utf16le' || packing === 'utf16be' ? toUtf8(content, packing) : content),
    ),
  )

/** Decompresses the content if it is compressed. */
const uncompressed = async (outer: Peeked, expansion: FileExpansion): Promise<Peeked> =>
  isCompression(outer.packing) ? peek(decompress(outer.packing, outer.content, expansion)) : outer

/** Why decompressed content cannot be read as a text of an archive. */
const reasonToSkip = ({ packing }: Peeked): string | undefined => {
  if (isArchive(packing)) return `is a ${packing} archive within the archive: send it separately`
  if (isCompression(packing)) return 'is compressed more than once: send it separately'
  if (isUnreadable(packing)) return `is compressed with ${packing}, which is not supported`
  return packing === 'binary' || packing === 'zeros' ? 'is not text' : undefined
}

const isDamaged = (error: unknown) => isServiceError(error, 'malformed')

/** Damage to one file of an archive is reported for that file; other errors are thrown. */
async function* upToDamage(content: Chunks, onDamage: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    if (!isDamaged(error)) throw error
    onDamage()
  }
}

const openMember = async (content: Chunks, expansion: FileExpansion): Promise<Peeked | 'damaged'> => {
  try {
    return await uncompressed(await peek(content), expansion)
  } catch (error) {
    if (!isDamaged(error)) throw error
    return 'damaged'
  }
}

/** The texts among the files of an archive, each of which may be compressed once. */
async function* textsOf(members: AsyncIterable<Member>, expansion: FileExpansion): AsyncGenerator<Unpacked> {
  for await (const member of members) {
    if ('skipped' in member) {
      yield member
      continue
    }
    const { path, modified } = member
    const opened = await openMember(member.content, expansion)
    const reason = opened === 'damaged' ? 'is damaged' : reasonToSkip(opened)
    if (opened === 'damaged' || reason !== undefined) {
      if (opened !== 'damaged') await opened.close()
      yield { path, skipped: reason ?? '' }
      continue
    }
    let hasDamage = false
    const content = upToDamage(textOf(opened), () => {
      hasDamage = true
    })
    yield { path, content, modified }
    if (hasDamage) yield { path, skipped: 'is damaged, and was read up to the damage' }
  }
}

const refusePacking = (packing: Packing, sent: Packing): void => {
  if (isUnreadable(packing))
    throw serviceError(
      'unsupported_media',
      `This is compressed with ${packing}, which is not supported: decompress it, or compress it with gzip, zstd or zip.`,
    )
  if (packing === 'binary')
    throw serviceError(
      'unsupported_media',
      sent === 'binary'
        ? 'This is neither text nor a supported archive (gzip, zstd, zip or tar). It may be damaged or encrypted.'
        : `The content of this ${sent} file is neither text nor an archive.`,
    )
  if (packing !== 'zip' && !isCompression(packing)) return
  throw serviceError('unsupported_media', `This is ${packing} within ${sent}: unpack it once and send the result.`)
}

/**
 * The texts in one file of an upload: the file itself, decompressed if it is gzip or zstd, or the files of a tar (compressed or not) or zip
 * archive. The format is detected from the bytes. The caller reads or skips each content before requesting the next. Throws
 * `unsupported_media` for other formats, `too_large` past a limit, `malformed` for truncated or damaged data; texts before that are correct.
 */
export async function* unpack(content: Chunks, { expansion, spool }: UnpackOptions): AsyncGenerator<Unpacked> {
  const sent = await peek(counted(content, expansion))
  if (sent.packing === 'zip') {
    await using file = await spool.keep(sent.content)
    yield* textsOf(zipMembers(file, expansion), expansion)
    return
  }
  const opened = await uncompressed(sent, expansion)
  refusePacking(opened.packing, sent.packing)
  if (opened.packing === 'tar') yield* textsOf(tarMembers(opened.content), expansion)
  else yield { path: undefined, content: textOf(opened), modified: undefined }
}
