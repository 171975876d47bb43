import type { Bus, Codec, Delivery, Topic } from '@trellis/kit/bus'

/** A part of a message, small enough for any bus; or a mark, which shows its publisher the current end of the topic. */
export type Part =
  | { readonly kind: 'part'; readonly isFirst: boolean; readonly isLast: boolean; readonly bytes: Uint8Array }
  | { readonly kind: 'mark'; readonly id: string }

/** Message brokers accept a megabyte by default; a search may find more. */
const partBytes = 256 * 1024

const flags = { first: 1, last: 2, mark: 4 } as const

/** One byte of flags, then the content. */
export const partCodec: Codec<Part> = {
  encode: (part) =>
    part.kind === 'mark'
      ? Buffer.concat([Uint8Array.of(flags.mark), Buffer.from(part.id)])
      : Buffer.concat([Uint8Array.of((part.isFirst ? flags.first : 0) | (part.isLast ? flags.last : 0)), part.bytes]),
  decode: (encoded) => {
    const [flag = 0] = encoded
    const bytes = encoded.subarray(1)
    if (flag & flags.mark) return { kind: 'mark', id: Buffer.from(bytes).toString() }
    return { kind: 'part', isFirst: (flag & flags.first) !== 0, isLast: (flag & flags.last) !== 0, bytes }
  },
}

/** Publishes a message of any size. There must be one publisher at a time, so that parts of two messages do not mix. */
export const publishWhole = async (bus: Bus, topic: Topic<Part>, message: Uint8Array): Promise<void> => {
  for (let start = 0; start === 0 || start < message.length; start += partBytes) {
    const end = start + partBytes
    await bus.publish(topic, {
      kind: 'part',
      isFirst: start === 0,
      isLast: end >= message.length,
      bytes: message.subarray(start, end),
    })
  }
}

export type Whole =
  | { readonly kind: 'message'; readonly sequence: number; readonly bytes: Uint8Array }
  | { readonly kind: 'mark'; readonly id: string }
  | { readonly kind: 'gap' }

/**
 * Reassembles messages; the sequence is that of the last part, after which a reader may resume. Drops a message that its
 * publisher died before completing.
 */
export async function* wholes(deliveries: AsyncIterable<Delivery<Part>>): AsyncGenerator<Whole> {
  let parts: Uint8Array[] | undefined
  for await (const delivery of deliveries) {
    if (delivery.kind === 'gap') {
      parts = undefined
      yield { kind: 'gap' }
      continue
    }
    const { sequence, event: part } = delivery
    if (part.kind === 'mark') {
      yield part
      continue
    }
    if (part.isFirst) parts = []
    parts?.push(part.bytes)
    if (!part.isLast || parts === undefined) continue
    yield { kind: 'message', sequence, bytes: Buffer.concat(parts) }
    parts = undefined
  }
}
