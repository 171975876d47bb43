import { serviceError } from '@trellis/kit/errors'

export type ExpansionLimits = { packedBytes: number; expandedBytes: number }

/** A file that expands to more than `freeBytes` may not expand to more than `maxExpansion` times its packed size. */
const freeBytes = 100 * 1024 * 1024
const maxExpansion = 200

/** Counts the bytes of one file. All functions throw `too_large` past a limit. */
export type FileExpansion = {
  /** Counts bytes as they were sent. */
  packed: (bytes: number) => void
  /** Counts bytes that a decompressor returned. */
  expanded: (bytes: number) => void
  /** Checks as `expanded` does, but does not count the bytes. */
  wouldExpand: (bytes: number) => void
}

/** The limits of one upload, over all its files. */
export type Expansion = { file: () => FileExpansion }

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

/** Enforces the total limits of an upload, and a maximum ratio for each file, while its bytes are read. */
export const createExpansion = ({ packedBytes, expandedBytes }: ExpansionLimits): Expansion => {
  let allPacked = 0
  let allExpanded = 0
  const check = (expandedOfFile: number, packedOfFile: number, expandedOfAll: number) => {
    const isBomb = expandedOfFile > freeBytes && expandedOfFile > packedOfFile * maxExpansion
    if (!isBomb && expandedOfAll <= expandedBytes) return
    throw serviceError(
      'too_large',
      `Decompressed, the upload exceeds the limit: ${megabytes(expandedBytes)} MB (SERVICE_MAX_EXPANDED_MB), or ${maxExpansion} times what was sent.`,
    )
  }
  return {
    file: () => {
      let packed = 0
      let expanded = 0
      return {
        packed: (bytes) => {
          packed += bytes
          allPacked += bytes
          if (allPacked <= packedBytes) return
          throw serviceError(
            'too_large',
            `The upload is larger than ${megabytes(packedBytes)} MB (SERVICE_MAX_UPLOAD_MB). Send it in parts.`,
          )
        },
        expanded: (bytes) => {
          expanded += bytes
          allExpanded += bytes
          check(expanded, packed, allExpanded)
        },
        wouldExpand: (bytes) => check(expanded + bytes, packed, allExpanded + bytes),
      }
    },
  }
}
