/** Just enough of the protocol buffers wire format (https://protobuf.dev/programming-guides/encoding) to write a message. */
export type Field = readonly Uint8Array[]

const varint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest === 0n ? low : low | 0x80)
  } while (rest !== 0n)
  return Uint8Array.from(bytes)
}

const wireTypes = { varint: 0, bytes: 2, fixed32: 5 }
const tag = (number: number, type: keyof typeof wireTypes) => varint(number * 8 + wireTypes[type])

export const integer = (number: number, value: number): Field => [tag(number, 'varint'), varint(value)]
export const integers = (number: number, values: readonly number[]): Field =>
  values.flatMap((value) => [...integer(number, value)])
export const float = (number: number, value: number): Field => [
  tag(number, 'fixed32'),
  new Uint8Array(Float32Array.of(value).buffer),
]
export const bytes = (number: number, value: Uint8Array): Field => [
  tag(number, 'bytes'),
  varint(value.byteLength),
  value,
]
export const text = (number: number, value: string): Field => bytes(number, Buffer.from(value))
/** A message within a message. Its pieces are not copied: weights are large. */
export const message = (number: number, fields: readonly Field[]): Field => {
  const pieces = fields.flat()
  return [tag(number, 'bytes'), varint(pieces.reduce((sum, piece) => sum + piece.byteLength, 0)), ...pieces]
}

export const encode = (fields: readonly Field[]): Buffer => Buffer.concat(fields.flat())
