import { maxTextBytes } from './clean.ts'

/**
 * Turns chunks of bytes into lines. Whole runs of lines are decoded at once, which costs a tenth of decoding each; bytes that are no
 * UTF-8 become U+FFFD. Never keeps more than the longest line allowed.
 */
export type LineSplitter = {
  /** Gives `take` each line that ends in the chunk. */
  push: (chunk: Uint8Array, take: TakeLine) => void
  /** Gives the last line when it has no line end. */
  end: (take: TakeLine) => void
}

/** Called for each line, which is cut when it was longer than what is kept. */
export type TakeLine = (text: string, isCut: boolean) => void

const lineEnd = 10

/**
 * A run is of so many bytes. The engine puts a string of 128 KiB or more aside as a large object, which it only collects when it goes through
 * the whole heap: tens of megabytes of them would lie there until then.
 */
const decodedBytes = 32 * 1024

/** Up to the limit, but no half character: continuation bytes at the end go with what was cut. */
const cut = (bytes: Buffer): Buffer => {
  let end = maxTextBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}

export const createLineSplitter = (): LineSplitter => {
  let carried: Buffer[] = []
  let carriedBytes = 0
  let isFirst = true

  const carry = (bytes: Buffer) => {
    // One byte past the limit tells that the line was cut; the rest of it is not needed.
    const room = Math.max(0, maxTextBytes + 4 - carriedBytes)
    if (room > 0 && bytes.length > 0) carried.push(Buffer.from(bytes.subarray(0, room)))
    carriedBytes += bytes.length
  }
  const takeCarried = (rest: Buffer, take: TakeLine) => {
    carry(rest)
    const line = Buffer.concat(carried)
    const isCut = carriedBytes > maxTextBytes
    carried = []
    carriedBytes = 0
    take(decode(isCut ? cut(line) : line), isCut)
  }
  const decode = (bytes: Buffer): string => {
    const text = bytes.toString('utf8')
    if (!isFirst) return text
    isFirst = false
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
  const takeWhole = (bytes: Buffer, take: TakeLine) => {
    const text = decode(bytes)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = text.slice(start, end)
      start = end + 1
      if (line.length * 3 <= maxTextBytes || Buffer.byteLength(line) <= maxTextBytes) take(line, false)
      else take(cut(Buffer.from(line)).toString('utf8'), true)
    }
  }

  return {
    push(chunk, take) {
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (carriedBytes > 0) {
        const first = bytes.indexOf(lineEnd)
        if (first < 0) return carry(bytes)
        takeCarried(bytes.subarray(0, first), take)
        bytes = bytes.subarray(first + 1)
      }
      const end = bytes.lastIndexOf(lineEnd) + 1
      for (let start = 0; start < end; ) {
        const last = bytes.lastIndexOf(lineEnd, Math.min(end, start + decodedBytes) - 1)
        const next = (last >= start ? last : bytes.indexOf(lineEnd, start + decodedBytes)) + 1
        takeWhole(bytes.subarray(start, next), take)
        start = next
      }
      carry(bytes.subarray(end))
    },
    end(take) {
      if (carriedBytes > 0) takeCarried(Buffer.alloc(0), take)
    },
  }
}
