import { isServiceError, serviceError } from '@trellis/kit/errors'
import { decompress } from './decompress.ts'
import type { FileExpansion } from './expansion.ts'
import type { Member } from './member.ts'
import { isArchive, isCompression, isUnreadable, type Packing } from './packing.ts'
import { type Chunks, type Peeked, peek } from './peeked.ts'
import type { Spool } from './spool.ts'
import { tarMembers } from './tar.ts'
import { toUtf8, withLineFeeds } from './transcode.ts'
import { zipMembers } from './zip.ts'

/**
 * A text that was in an upload. `path` is where in an archive it was, undefined for a file that was sent as itself; `modified` is when it was
 * last changed, epoch milliseconds, where an archive says so. One that is not read, or not to its end, says why: a reason that goes after its name.
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
  withLineFeeds(packing === 'utf16le' || packing === 'utf16be' ? toUtf8(content, packing) : content)

/** Takes off a compression, if there is one. */
const uncompressed = async (outer: Peeked, expansion: FileExpansion): Promise<Peeked> =>
  isCompression(outer.packing) ? peek(decompress(outer.packing, outer.content, expansion)) : outer

/** Why what has been uncompressed cannot be read as a text of an archive. */
const reasonToSkip = ({ packing }: Peeked): string | undefined => {
  if (isArchive(packing)) return `is a ${packing} archive within the archive: send it by itself`
  if (isCompression(packing)) return 'is packed more than once: send it by itself'
  if (isUnreadable(packing)) return `is packed with ${packing}, which is not read here`
  return packing === 'binary' || packing === 'zeros' ? 'is no text' : undefined
}

const isDamaged = (error: unknown) => isServiceError(error, 'malformed')

/** Damage to one file of an archive is said of that file; what is wrong with the whole is thrown. */
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
    if (hasDamage) yield { path, skipped: 'is damaged, and was read up to there' }
  }
}

const refusePacking = (packing: Packing, sent: Packing): void => {
  if (isUnreadable(packing))
    throw serviceError(
      'unsupported_media',
      `This is packed with ${packing}, which is not read here: unpack it, or pack it with gzip, zstd or zip.`,
    )
  if (packing === 'binary')
    throw serviceError(
      'unsupported_media',
      sent === 'binary'
        ? 'This is no text, and no archive that is known here (gzip, zstd, zip or tar). It may be damaged or encrypted.'
        : `What is packed with ${sent} here is no text, and no archive.`,
    )
  if (packing !== 'zip' && !isCompression(packing)) return
  throw serviceError('unsupported_media', `This is ${packing} within ${sent}: unpack it once, and send that.`)
}

/**
 * The texts in one file of an upload: itself, unpacked where it is gzip or zstd, or the files of a tar (packed or not) or zip archive. What it
 * is, its bytes tell. Each content is to be read, or left, before the next is asked for. Throws `unsupported_media` for what is packed in
 * other ways, `too_large` past a limit, `malformed` for what breaks off or is damaged; what came before is right.
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
