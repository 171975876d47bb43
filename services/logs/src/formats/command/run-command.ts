import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import { silentLog } from '@trellis/kit/telemetry'
import { parseDocument } from 'yaml'
import { activeFormats, activeUserFormats } from '../active-formats.ts'
import { formatFileEndings, openUserFormats } from '../user/user-formats.ts'
import { type Report, testFormat } from './test-format.ts'
import { testLog } from './test-log.ts'

export type CommandOptions = {
  words: readonly string[]
  formatsDirectory: string
  print: (line: string) => void
  now: number
}

const usage = [
  'trellis-logs formats test FILE...        what the lines of a log are read as, or whether a format file is valid',
  'trellis-logs formats list                all formats, in the order in which they are tried',
  '  --formats FOLDER                       with the formats in there; else those of SERVICE_FORMATS_DIR, or data/formats',
]

const maxFormatBytes = 256 * 1024
const formatKeys = ['pattern', 'samples', 'requires']

/** The text of a file that means to be a format: YAML or JSON with a format's keys. A log in JSON has others, or many documents. */
const formatText = async (path: string): Promise<string | undefined> => {
  if (!formatFileEndings.includes(extname(path).toLowerCase())) return undefined
  if ((await stat(path)).size > maxFormatBytes) return undefined
  const content = await readFile(path, 'utf8')
  const document = parseDocument(content)
  const isFormat = formatKeys.some((key) => document.has(key))
  return isFormat || extname(path) !== '.json' ? content : undefined
}

const testFile = async (path: string, now: number): Promise<Report> => {
  const content = await formatText(path)
  return content === undefined ? testLog(path, now) : testFormat(path, content, activeUserFormats().formats)
}

/** Runs `formats test` or `formats list`. Gives the exit code: 0 when all is right, 1 when something is not, 2 for what it does not understand. */
export const runFormatsCommand = async ({ words, formatsDirectory, print, now }: CommandOptions): Promise<number> => {
  const at = words.indexOf('--formats')
  const directory = at < 0 ? formatsDirectory : (words[at + 1] ?? '')
  const [topic, verb, ...files] = at < 0 ? words : words.toSpliced(at, 2)
  if (topic !== 'formats' || directory === '' || !((verb === 'test' && files.length > 0) || verb === 'list')) {
    for (const line of usage) print(line)
    return 2
  }
  await using formats = await openUserFormats({ directory, log: silentLog })
  if (verb === 'list') {
    for (const { error } of await formats.list()) if (error !== undefined) print(`not used: ${error}`)
    for (const { name } of activeFormats().all) print(name)
    return 0
  }
  let isGood = true
  for (const file of files) {
    const report = await testFile(file, now).catch(
      (error: unknown): Report => ({
        lines: [`${file}: ${messageOf(error)}`],
        isGood: false,
      }),
    )
    for (const line of report.lines) print(line)
    isGood &&= report.isGood
  }
  return isGood ? 0 : 1
}
