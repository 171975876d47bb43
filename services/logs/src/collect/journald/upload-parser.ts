import { createFileParser, type FileParser, type FileParserOptions } from '../../formats/file-parser.ts'
import { createExportFileParser } from './export-file-parser.ts'

const tellingBytes = 4_096
/** What `journalctl -o export` writes first of each entry, in either order; no log has it. */
const firstFields = /^(?:__CURSOR=[^\n]+\n(?:__[A-Z_]+=[^\n]*\n)*?)?__REALTIME_TIMESTAMP=\d{1,20}\n/

/** Whether a file is an export of a journal, by its first bytes. */
export const isJournalExport = (start: Uint8Array): boolean =>
  firstFields.test(Buffer.from(start.subarray(0, tellingBytes)).toString('latin1'))

/** Parses a file of which its first chunk, unless that is all of it, has as many bytes as tell whether it is an export of a journal. */
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
