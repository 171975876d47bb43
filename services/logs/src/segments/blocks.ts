import { allocate } from './allocate.ts'

/** An allocator of large memory blocks. */
export type Blocks = {
  /** A block of at least this many bytes; it may contain old data. */
  take: (bytes: number) => ArrayBuffer
  /** Frees a block of `take`, which must no longer be used. */
  free: (block: ArrayBuffer) => void
  /** Drops all pooled blocks, which will not be needed soon. */
  clear: () => void
}

/** Allocates a new block for each request and leaves freed ones to the garbage collector. */
export const newBlocks: Blocks = { take: allocate, free: () => undefined, clear: () => undefined }

/** Smaller blocks are not worth pooling. */
const minPooled = 64 * 1024
/** A block also serves requests up to this many size classes smaller, for which it is half as large again. */
const maxClassesAbove = 2

/** Rounds up to a size class, four to each power of two, so that requests of about the same size reuse blocks. */
const sizeFor = (bytes: number): number => {
  const step = 2 ** Math.max(0, 29 - Math.clz32(bytes))
  return Math.ceil(bytes / step) * step
}

export type BlockPoolOptions = {
  /** Maximum bytes of pooled blocks; further ones are left to the garbage collector. */
  maxBytes: number
  /** The pool is cleared after this time without use. */
  idleMilliseconds: number
}

/**
 * A pool of reusable blocks. The garbage collector counts memory outside its heap and traverses the whole heap for every few megabytes more, and
 * until it finds a block to be garbage, that memory is unusable. Callers that know when a block is free avoid both.
 */
export const createBlocks = ({ maxBytes, idleMilliseconds }: BlockPoolOptions): Blocks & Disposable => {
  const pooled = new Map<number, ArrayBuffer[]>()
  let pooledBytes = 0
  let idle: NodeJS.Timeout | undefined

  const clear = () => {
    clearTimeout(idle)
    pooled.clear()
    pooledBytes = 0
  }
  const watchIdle = () => {
    clearTimeout(idle)
    if (pooledBytes > 0) idle = setTimeout(clear, idleMilliseconds).unref()
  }
  const findPooled = (size: number): ArrayBuffer | undefined => {
    let candidate = size
    for (let above = 0; above <= maxClassesAbove; above++) {
      const block = pooled.get(candidate)?.pop()
      if (block) return block
      candidate = sizeFor(candidate + 1)
    }
    return undefined
  }
  return {
    take: (bytes) => {
      if (bytes < minPooled) return allocate(bytes)
      const size = sizeFor(bytes)
      const block = findPooled(size)
      if (!block) return allocate(size)
      pooledBytes -= block.byteLength
      watchIdle()
      return block
    },
    free: (block) => {
      const bytes = block.byteLength
      if (bytes < minPooled || bytes !== sizeFor(bytes) || pooledBytes + bytes > maxBytes) return
      const same = pooled.get(bytes) ?? []
      pooled.set(bytes, same)
      same.push(block)
      pooledBytes += bytes
      watchIdle()
    },
    clear,
    [Symbol.dispose]: clear,
  }
}
