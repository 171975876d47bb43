/** Counts of the lines of one or more files by result. */
export type UploadCounts = {
  /** Lines that are not blank; the other counts add up to it. */
  lines: number
  entries: number
  duplicates: number
  rejected: number
  multiline_joined: number
}
/** Lines by the format that they were parsed as. */
export type FormatCounts = Readonly<Record<string, number>>
export type UploadResult = { counts: UploadCounts; formats: FormatCounts }

export const noResult: UploadResult = {
  counts: { lines: 0, entries: 0, duplicates: 0, rejected: 0, multiline_joined: 0 },
  formats: {},
}

export const addCounts = (left: UploadCounts, right: UploadCounts): UploadCounts => ({
  lines: left.lines + right.lines,
  entries: left.entries + right.entries,
  duplicates: left.duplicates + right.duplicates,
  rejected: left.rejected + right.rejected,
  multiline_joined: left.multiline_joined + right.multiline_joined,
})

export const addFormats = (left: FormatCounts, right: FormatCounts): FormatCounts => {
  const sum: Record<string, number> = { ...left }
  for (const [name, lines] of Object.entries(right)) sum[name] = (sum[name] ?? 0) + lines
  return sum
}

export const addResults = (left: UploadResult, right: UploadResult): UploadResult => ({
  counts: addCounts(left.counts, right.counts),
  formats: addFormats(left.formats, right.formats),
})
