/** Types of images that browsers display and that cannot contain scripts, unlike SVG. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'image/avif'

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  bytes.length >= offset + text.length && [...text].every((letter, at) => bytes[offset + at] === letter.charCodeAt(0))

/** Signatures at the start of a file, by the type that they identify. */
const signatures: readonly (readonly [ImageType, (bytes: Uint8Array) => boolean])[] = [
  ['image/jpeg', (bytes) => startsWith(bytes, '\xff\xd8\xff')],
  ['image/png', (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n')],
  ['image/gif', (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')],
  ['image/webp', (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)],
  ['image/avif', (bytes) => startsWith(bytes, 'ftypavif', 4) || startsWith(bytes, 'ftypavis', 4)],
]

/** The type of an image by its content, regardless of its name and its server; undefined for anything else. */
export const imageTypeOf = (bytes: Uint8Array): ImageType | undefined =>
  signatures.find(([, matches]) => matches(bytes))?.[0]

export type ImageSize = { readonly width: number; readonly height: number }

/** Frame headers of JPEG, which have the size: SOF0 to SOF15 except DHT, JPG and DAC. ITU-T T.81, table B.1. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const jpegSize = (view: DataView): ImageSize | undefined => {
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // Fill bytes may precede a marker.
    if (marker === 0xff) at += 1
    else if (isFrameHeader(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const pngSize = (view: DataView): ImageSize | undefined =>
  view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) }

const webpSize = (view: DataView): ImageSize | undefined => {
  if (view.byteLength < 30) return undefined
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  if (chunk === 'VP8X') return { width: uint24(24) + 1, height: uint24(27) + 1 }
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (chunk !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

const sizeReaders: Partial<Record<ImageType, (view: DataView) => ImageSize | undefined>> = {
  'image/jpeg': jpegSize,
  'image/png': pngSize,
  'image/webp': webpSize,
}

/** The size that the header of a JPEG, PNG or WebP image states, without decoding it; undefined for other types and malformed headers. */
export const imageSizeOf = (bytes: Uint8Array, type: ImageType): ImageSize | undefined => {
  const size = sizeReaders[type]?.(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}
