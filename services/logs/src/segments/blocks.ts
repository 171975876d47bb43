import { allocate } from './allocate.ts'

/** Where large memory comes from and goes to. */
export type Blocks = {
  /** A block of so many bytes or more; what it was used for before may still be in it. */
  take: (bytes: number) => ArrayBuffer
  /** One of `take` that nobody looks at any more. */
  giveBack: (block: ArrayBuffer) => void
  /** Nothing of what is kept will be needed soon. */
  forget: () => void
}

/** Each block is made for who takes it, and is for the collector then. */
export const newBlocks: Blocks = { take: allocate, giveBack: () => undefined, forget: () => undefined }

/** Smaller ones are not worth keeping. */
const minKept = 64 * 1024
/** A block of a larger size is taken for a smaller one up to so many sizes below, which is half as much again. */
const sizesAbove = 2

/** The next of the sizes that blocks have, four to each power of two: what needs about as much as before finds what that has left. */
const sizeFor = (bytes: number): number => {
  const step = 2 ** Math.max(0, 29 - Math.clz32(bytes))
  return Math.ceil(bytes / step) * step
}

export type KeptBlocksOptions = {
  /** Bytes that are kept for who comes next; more go to the collector. */
  maxBytes: number
  /** What nobody took for so long goes, too. */
  idleMilliseconds: number
}

/**
 * Blocks that are used again. The collector counts what is allocated outside of its heap, and goes through all of the heap for every few
 * megabytes more; and what it has not yet found to be garbage is memory that nobody can use. Who knows when a block is free says so here.
 */
export const createBlocks = ({ maxBytes, idleMilliseconds }: KeptBlocksOptions): Blocks & Disposable => {
  const kept = new Map<number, ArrayBuffer[]>()
  let keptBytes = 0
  let idle: NodeJS.Timeout | undefined

  const forget = () => {
    clearTimeout(idle)
    kept.clear()
    keptBytes = 0
  }
  const watchIdle = () => {
    clearTimeout(idle)
    if (keptBytes > 0) idle = setTimeout(forget, idleMilliseconds).unref()
  }
  const findKept = (size: number): ArrayBuffer | undefined => {
    let wanted = size
    for (let above = 0; above <= sizesAbove; above++) {
      const block = kept.get(wanted)?.pop()
      if (block) return block
      wanted = sizeFor(wanted + 1)
    }
    return undefined
  }
  return {
    take: (bytes) => {
      if (bytes < minKept) return allocate(bytes)
      const size = sizeFor(bytes)
      const block = findKept(size)
      if (!block) return allocate(size)
      keptBytes -= block.byteLength
      watchIdle()
      return block
    },
    giveBack: (block) => {
      const bytes = block.byteLength
      if (bytes < minKept || bytes !== sizeFor(bytes) || keptBytes + bytes > maxBytes) return
      const same = kept.get(bytes) ?? []
      kept.set(bytes, same)
      same.push(block)
      keptBytes += bytes
      watchIdle()
    },
    forget,
    [Symbol.dispose]: forget,
  }
}
