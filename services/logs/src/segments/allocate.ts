const wasmPageBytes = 64 * 1024
/** Smaller blocks come from the process's allocator. Starting a thread frees 4 MB at once, so up to that size nothing gets worse. */
export const minMapped = 4 * 1024 * 1024

/** The part of a standard global that is used here, which the compiler's server libraries omit. */
type MemoryMaker = { Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer } }
const { WebAssembly: webAssembly } = globalThis as unknown as { WebAssembly: MemoryMaker }

/**
 * Zeroed memory that returns to the system when it is collected. The process's allocator would retain the memory of large blocks: the first one
 * that is freed raises its mmap threshold (`mallopt`, M_MMAP_THRESHOLD), so that later ones, up to 32 MB, come from pools that it hardly ever
 * returns; a thread that ended left 100 MB. The memory of a WebAssembly module is mapped and unmapped on its own. It cannot be transferred.
 */
export const allocate = (bytes: number): ArrayBuffer => {
  if (bytes < minMapped) return new ArrayBuffer(bytes)
  try {
    const pages = Math.ceil(bytes / wasmPageBytes)
    return new webAssembly.Memory({ initial: pages, maximum: pages }).buffer
  } catch {
    // Address space may be limited; then the ordinary allocator serves.
    return new ArrayBuffer(bytes)
  }
}

/** Whether an error is how V8 reports that memory for a typed array is currently unavailable. */
export const isAllocationFailure = (error: unknown): boolean =>
  error instanceof RangeError && /allocation failed/.test(error.message)
