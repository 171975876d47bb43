import { serviceError } from '@trellis/kit/errors'

export type ExpansionLimits = { packedBytes: number; expandedBytes: number }

/** Past so many bytes a file may not be more than so many times what was sent of it. */
const freeBytes = 100 * 1024 * 1024
const maxExpansion = 200

/** Counts of one file. Both throw `too_large` past a limit. */
export type FileExpansion = {
  /** Bytes as they were sent. */
  packed: (bytes: number) => void
  /** Bytes that came out of a decompressor, or that an archive says will. */
  expanded: (bytes: number) => void
  /** As `expanded`, but only asks whether there would be room. */
  wouldExpand: (bytes: number) => void
}

/** What an upload, all its files together, has become. */
export type Expansion = { file: () => FileExpansion }

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

/** Holds an upload to its limits, and each file of it to a sensible ratio, as its bytes go by. */
export const createExpansion = ({ packedBytes, expandedBytes }: ExpansionLimits): Expansion => {
  let allPacked = 0
  let allExpanded = 0
  const check = (expandedOfFile: number, packedOfFile: number, expandedOfAll: number) => {
    const isBomb = expandedOfFile > freeBytes && expandedOfFile > packedOfFile * maxExpansion
    if (!isBomb && expandedOfAll <= expandedBytes) return
    throw serviceError(
      'too_large',
      `Unpacked, the upload is more than is allowed: ${megabytes(expandedBytes)} MB (SERVICE_MAX_EXPANDED_MB), or ${maxExpansion} times what was sent.`,
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
