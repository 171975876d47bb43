export const oggMarker = Buffer.from('OggS', 'latin1')
/** Bytes of a page header before its segment table (RFC 3533, 6); its last byte is the number of segments. */
export const oggHeaderBytes = 27

/** Positions of fields in a page header. */
export const oggField = { flags: 5, serial: 14, segments: 26 } as const
export const oggFlag = { continuesPacket: 0x01, beginsStream: 0x02, endsStream: 0x04 } as const

/** The lengths of the segments of the page at the start of `bytes`; undefined while its header is incomplete. */
export const segmentsOf = (bytes: Uint8Array): Uint8Array | undefined => {
  const count = bytes[oggField.segments]
  return count === undefined || bytes.length < oggHeaderBytes + count
    ? undefined
    : bytes.subarray(oggHeaderBytes, oggHeaderBytes + count)
}

/** Bytes of a whole page with these segments. */
export const pageLength = (segments: Uint8Array): number =>
  segments.reduce((total, length) => total + length, oggHeaderBytes + segments.length)
