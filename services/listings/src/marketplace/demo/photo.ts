import { crc32, deflateSync } from 'node:zlib'
import { families } from './catalogue.ts'
import { createRandom, type Random } from './random.ts'

const width = 240
const height = 180
/** Number of shapes; enough that no two photos look alike by chance. */
const shapes = 14

type Shape = {
  readonly isRound: boolean
  readonly x: number
  readonly y: number
  readonly halfWidth: number
  readonly halfHeight: number
  readonly colour: number
}

const chunk = (type: string, content: Uint8Array): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(content.length, 0)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

/** A PNG file of indexed colours (ISO/IEC 15948): the palette in red, green and blue, and one byte for each pixel. */
const png = (palette: readonly (readonly [number, number, number])[], pixels: Uint8Array): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits of indexed colour.
  header.set([8, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Red, green and blue of a colour, of 255 each. Saturation and lightness are shares of 1. */
const rgb = (hue: number, saturation: number, lightness: number): readonly [number, number, number] => {
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const turn = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}

const drawn = (shapesOfPhoto: readonly Shape[]): Uint8Array => {
  const pixels = new Uint8Array(width * height)
  for (const { isRound, x, y, halfWidth, halfHeight, colour } of shapesOfPhoto)
    for (let row = Math.max(0, Math.ceil(y - halfHeight)); row < Math.min(height, y + halfHeight); row++) {
      const half = isRound ? halfWidth * Math.sqrt(Math.max(0, 1 - ((row - y) / halfHeight) ** 2)) : halfWidth
      const from = Math.max(0, Math.round(x - half))
      const to = Math.min(width, Math.round(x + half))
      if (to > from) pixels.fill(colour, row * width + from, row * width + to)
    }
  return pixels
}

const seedOf = (text: string): number =>
  [...text].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0, 7)

const createShape = (random: Random, colour: number): Shape => ({
  isRound: random.chance(0.5),
  x: random.between(0, width),
  y: random.between(0, height),
  halfWidth: random.between(12, 70),
  halfHeight: random.between(12, 55),
  colour,
})

/**
 * The photo of an id: arranged shapes in the colours of a product family, the same at every size and in every process. An id that ends with `-copy` and a
 * number is the photo of the id before it as another seller would reuse it: lighter, shifted a little, and with a sticker in a corner.
 */
export const drawPhoto = (id: string): Buffer => {
  const [, original = id, copy] = /^(.*)-copy(\d+)$/.exec(id) ?? []
  const random = createRandom(seedOf(original))
  const hue = (families[seedOf(original) % families.length]?.hue ?? 0) + random.between(0, 22)
  const lighter = copy === undefined ? 0 : 0.03 + (Number(copy) % 3) * 0.01
  const colours = Array.from({ length: shapes + 1 }, (_, index) =>
    rgb(
      hue + random.between(-20, 20) + 360,
      0.2 + random.next() * 0.5,
      Math.min(1, 0.12 + (index === 0 ? 0.75 : random.next() * 0.8) + lighter),
    ),
  )
  const arranged = Array.from({ length: shapes }, (_, index) => createShape(random, index + 1))
  if (copy === undefined) return png(colours, drawn(arranged))
  const shift = 1 + (Number(copy) % 2)
  const sticker: Shape = { isRound: true, x: 222, y: 164, halfWidth: 9, halfHeight: 9, colour: 0 }
  return png(colours, drawn([...arranged.map((shape) => ({ ...shape, x: shape.x + shift })), sticker]))
}
