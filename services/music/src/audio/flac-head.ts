const marker = 'fLaC'
/** Type and length, at the start of a metadata block. */
const blockHeader = 4
const streaminfoType = 0
const streaminfoBytes = 34
/** Flag of the last metadata block. */
const lastBlock = 0x80

/** Maximum end of a stream header: in Ogg, a page header of up to 282 bytes and the mapping's 9 bytes precede it. */
export const flacHeadReach = 512

/**
 * The header of a FLAC stream, bare or in Ogg, from its first bytes: the marker and the STREAMINFO block, which RFC 9639
 * (8.2) requires to be first, flagged as the last block. Undefined if there is none.
 */
export const flacHead = (bytes: Uint8Array): Uint8Array | undefined => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(marker, 0, 'latin1')
  const end = start + marker.length + blockHeader + streaminfoBytes
  if (start < 0 || end > bytes.byteLength) return undefined
  // Copied: `slice` of a Buffer is a view, and the caller needs its bytes unchanged.
  const head = Uint8Array.from(bytes.subarray(start, end))
  const type = marker.length
  if (((head[type] ?? 0) & ~lastBlock) !== streaminfoType) return undefined
  head[type] = lastBlock | streaminfoType
  return head
}
