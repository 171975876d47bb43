const wasmPageBytes = 64 * 1024
/** Smaller blocks come from the process's allocator. Starting a thread frees 4 MB at once, so up to there nothing gets worse. */
export const minMapped = 4 * 1024 * 1024

/** The part of a standard global that is used here; the compiler's libraries for a server leave it out. */
type MemoryMaker = { Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer } }
const { WebAssembly: webAssembly } = globalThis as unknown as { WebAssembly: MemoryMaker }

/**
 * Zeroed memory that goes back to the system when it is collected. The process's allocator would keep what large blocks leave behind: the
 * first that is freed teaches it to take the next, up to 32 MB, from pools that it hardly ever gives back (`mallopt`, M_MMAP_THRESHOLD),
 * so that a thread that ended left 100 MB. The memory of a WebAssembly module is mapped and unmapped on its own. It cannot be transferred.
 */
export const allocate = (bytes: number): ArrayBuffer => {
  if (bytes < minMapped) return new ArrayBuffer(bytes)
  try {
    const pages = Math.ceil(bytes / wasmPageBytes)
    return new webAssembly.Memory({ initial: pages, maximum: pages }).buffer
  } catch {
    // Where addresses are scarce; the allocator's way works, too.
    return new ArrayBuffer(bytes)
  }
}

/** How the engine reports that there is no memory now for a typed array; it may be there later. */
export const isAllocationFailure = (error: unknown): boolean =>
  error instanceof RangeError && /allocation failed/.test(error.message)
