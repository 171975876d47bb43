/** The parts of a file's name: the name of its log, and whether it is a rotated piece of it. */
export type LogName = {
  /** The name of the log while it is being written: `app.log` for `app.log.2.gz`. */
  log: string
  isRotated: boolean
  packing: Packing
}

export type Packing = 'plain' | 'gzip' | 'zstd'

const packings: readonly { suffix: string; packing: Packing }[] = [
  { suffix: '.gz', packing: 'gzip' },
  { suffix: '.zst', packing: 'zstd' },
]

/** Whether a file is packed in a format that is not supported. */
export const isForeignPacking = (name: string): boolean => /\.(?:bz2|xz|lz4|lzma|7z|zip|tar|tgz|rar|Z)$/.test(name)

const date = '(?:19|20)\\d\\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\\d|3[01])'
const clock = '(?:[-_T.]?\\d{2}[-:.]?\\d{2}(?:[-:.]?\\d{2})?|[-_]\\d{10})?'

/**
 * How rotation derives the names of files from a log's name; the first group and the rest after the match form the log's name.
 * logrotate (`.1`, `-20260301`, `.1.gz`), log4j and logback (`.2026-03-01`, `app-2026-03-01.log`, `app-2026-03-01.2.log`), Docker (`.1`) and
 * kubelet (`0.log.20260301-091502`) are covered; svlogd and multilog use unrelated names.
 */
const rotations: readonly RegExp[] = [
  new RegExp(`^(.+?)[._-]${date}${clock}(?:\\.\\d{1,4})?$`),
  /^(.+)\.\d{1,4}$/,
  /^(.+)\.(?:old|bak|prev|previous)$/,
]
const datedInside = new RegExp(`^(.+?)[._-]${date}${clock}(?:\\.\\d{1,4})?(\\.(?:log|txt|json|out|err|csv))$`)
const numberedInside = /^(.+)\.\d{1,4}(\.log)$/

/** Parses the name of a file without its folder. If a log's own name has a date, each day's file is a piece of one log. */
export const readLogName = (name: string): LogName => {
  const packed = packings.find(({ suffix }) => name.endsWith(suffix) && name.length > suffix.length)
  const unpacked = packed ? name.slice(0, -packed.suffix.length) : name
  const packing = packed?.packing ?? 'plain'
  for (const rotation of rotations) {
    const [, log] = rotation.exec(unpacked) ?? []
    if (log !== undefined) return { log, isRotated: true, packing }
  }
  const [, start, end] = datedInside.exec(unpacked) ?? numberedInside.exec(unpacked) ?? []
  if (start !== undefined) return { log: `${start}${end}`, isRotated: true, packing }
  return { log: unpacked, isRotated: packed !== undefined, packing }
}
