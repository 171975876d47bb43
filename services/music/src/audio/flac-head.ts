const MARKER = 'fLaC'
/** Type and length of a metadata block, before it. */
const BLOCK_HEADER = 4
const STREAMINFO_TYPE = 0
const STREAMINFO_BYTES = 34
/** Says of a metadata block that no other follows. */
const LAST_BLOCK = 0x80

/** Where a stream's head ends at the latest: in Ogg a page header of at most 282 bytes and the mapping's own 9 go before it. */
export const FLAC_HEAD_REACH = 512

/**
 * The head of a FLAC stream, bare or in Ogg, from its first bytes: the marker and the block STREAMINFO, which RFC 9639
 * (8.2) has first, marked as the last one. Undefined where there is none.
 */
export const flacHead = (bytes: Uint8Array): Uint8Array | undefined => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(MARKER, 0, 'latin1')
  const end = start + MARKER.length + BLOCK_HEADER + STREAMINFO_BYTES
  if (start < 0 || end > bytes.byteLength) return undefined
  const head = bytes.slice(start, end)
  const type = MARKER.length
  if (((head[type] ?? 0) & ~LAST_BLOCK) !== STREAMINFO_TYPE) return undefined
  head[type] = LAST_BLOCK | STREAMINFO_TYPE
  return head
}
