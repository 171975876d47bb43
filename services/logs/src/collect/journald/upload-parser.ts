import { createFileParser, type FileParser, type FileParserOptions } from '../../formats/file-parser.ts'
import { createExportFileParser } from './export-file-parser.ts'

const sniffedBytes = 4_096
/** The first fields that `journalctl -o export` writes of each entry, in either order; no log begins with them. */
const firstFields = /^(?:__CURSOR=[^\n]+\n(?:__[A-Z_]+=[^\n]*\n)*?)?__REALTIME_TIMESTAMP=\d{1,20}\n/

/** Whether a file is a journal export, by its first bytes. */
export const isJournalExport = (start: Uint8Array): boolean =>
  firstFields.test(Buffer.from(start.subarray(0, sniffedBytes)).toString('latin1'))

/** Parses a file. Its first chunk must be large enough to detect a journal export, unless it is the whole file. */
export const createUploadParser = (options: FileParserOptions): FileParser => {
  let chosen: FileParser | undefined
  const parser = (chunk?: Uint8Array): FileParser => {
    chosen ??= (chunk && isJournalExport(chunk) ? createExportFileParser : createFileParser)(options)
    return chosen
  }
  return {
    push: (chunk) => parser(chunk).push(chunk),
    end: () => parser().end(),
    settle: (closes) => parser().settle(closes),
    get counts() {
      return parser().counts
    },
  }
}
