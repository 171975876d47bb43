/** Bytes from `start` (0-based) to `end`, exclusive; to the last byte without `end`. */
export type ByteRange = { start: number; end?: number }

export type FileInfo = { key: string; size: number; modifiedAt: Date }

/**
 * Stores bytes by key: audio, bundles, log segments. Written once, read by range.
 * Keys are `/`-separated names such as `music/chains/ab12/nodes/cd34.wav`; see `keyPattern`.
 * A write is atomic, and durable once it has resolved.
 */
export type Files = {
  /** Stores content under a key, replacing earlier content, and returns its size in bytes. When the signal aborts, nothing is stored. */
  write: (
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ) => Promise<{ size: number }>
  /** Streams content; throws `not_found` for an unknown key before the first byte. */
  read: (key: string, range?: ByteRange, signal?: AbortSignal) => AsyncIterable<Uint8Array>
  /** Reads a range into one buffer that the caller owns, for small reads; shorter where the content ends earlier. */
  readRange: (key: string, range: Required<ByteRange>) => Promise<Uint8Array>
  stat: (key: string) => Promise<FileInfo | undefined>
  /** All files whose key starts with the prefix, in order of key. */
  list: (prefix: string) => AsyncIterable<FileInfo>
  /** Removes a file; idempotent. */
  remove: (key: string) => Promise<void>
}

/** Keys: up to 1,024 characters in segments of letters, digits and `._=-`, none of them starting with a dot. */
export const keyPattern = /^(?=.{1,1024}$)[A-Za-z0-9_=-][A-Za-z0-9._=-]*(?:\/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*$/
