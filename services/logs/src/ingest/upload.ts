import { createHash } from 'node:crypto'
import { invalidField, isServiceError, messageOf, serviceError } from '@trellis/kit/errors'
import type { UploadedFile, UploadPart } from '@trellis/kit/rpc'
import type { SkippedFile, Task, UploadParameters } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { counted } from '../counted.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkSourceId, maxSourceIdCharacters } from '../entries/usable-id.ts'
import { journalExportFormat } from '../formats/active-formats.ts'
import type { UploadResult } from '../threads/upload-result.ts'
import { createEndings, type Endings } from './endings.ts'
import { gatherChunks } from './gather-chunks.ts'
import { holdBack } from './hold-back.ts'
import type { RunningTask } from './tasks.ts'
import { createExpansion, type Expansion } from './unpack/expansion.ts'
import { unpack } from './unpack/unpack.ts'
import { settingsOf, type UploadSettings, withField } from './upload-settings.ts'

/** Dependencies of the upload handler. */
export type UploadIntake = Pick<Dependencies, 'config' | 'engine' | 'tasks' | 'spool' | 'now'>

/** Chunks are passed to the parser when they have at least this size. */
const handOverBytes = 256 * 1024
/** Files up to this size in total are held back until all fields of the form are known. */
const maxHeldBytes = 1024 * 1024
/** The maximum number of skipped files that are named; the others are only counted. */
const maxNamedSkipped = 100

const packedEndings = /\.(?:gz|zst|zip|tar|tgz|tzst|log\.zip)$/i

const withoutEndings = (name: string): string => {
  const shorter = name.replace(packedEndings, '')
  return shorter === name || shorter === '' ? name : withoutEndings(shorter)
}

/** The default source of a file: its name without the endings of compressions and archives. */
const sourceIdOf = ({ filename }: UploadedFile): string => {
  const name = withoutEndings(filename.split(/[\\/]/).at(-1) ?? '')
  return checkSourceId(name.trim() === '' ? 'upload' : name)
}

/**
 * The source of a file in an archive: `<source of the archive>/<path>`, so that files with the same name in two folders differ. A source that
 * is too long retains its end and has a part of its hash where it is cut.
 */
export const memberSourceId = (sourceId: string, path: string): string => {
  const whole = `${sourceId}/${withoutCompression(path)}`
  if (whole.length <= maxSourceIdCharacters) return whole
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  const start = `${sourceId.slice(0, 100)}/~${hash}~`
  return start + whole.slice(whole.length - (maxSourceIdCharacters - start.length))
}

const withoutCompression = (path: string) => path.replace(/(?<=[^/])\.(?:gz|zst)$/i, '')

const shown = ({ counts: { multiline_joined, ...counts }, formats }: UploadResult) => ({
  counts: { ...counts, multilineJoined: multiline_joined },
  formats,
})

/** An upload in progress: its results so far, and the task that reports them. */
type Receiving = {
  intake: UploadIntake
  running: RunningTask
  expansion: Expansion
  endings: Endings
  done: number
  skipped: SkippedFile[]
  skippedCount: number
}

const noteSkipped = (receiving: Receiving, name: string, reason: string) => {
  receiving.skippedCount++
  if (receiving.skipped.length < maxNamedSkipped) receiving.skipped.push({ name, reason: `It ${reason}.` })
}

/** Failures of the disk or of a server are not the sender's fault: the response is retryable. */
const toUnavailable = (cause: unknown): never => {
  throw isServiceError(cause)
    ? cause
    : serviceError('unavailable', 'The upload could not be stored. Send it again to store the rest.', {
        cause,
        retryAfterSeconds: 5,
      })
}

/** Passes a text to the parser as it is received. Text received before a failure is stored. */
const receiveText = async (
  receiving: Receiving,
  settings: UploadSettings & { sourceId: string },
  { content, modified }: { content: AsyncIterable<Uint8Array>; modified: number | undefined },
) => {
  const { intake, running, endings } = receiving
  const ingest = await intake.engine.ingestFile({
    source: { sourceId: settings.sourceId, branch: null, tenantId: null },
    format: settings.format,
    zone: settings.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    // A file in an archive is no younger than its last modification.
    reference: Math.min(intake.now(), modified ?? Number.POSITIVE_INFINITY),
    firstYear: settings.firstYear,
    mayBeExport: settings.format === undefined || settings.format === journalExportFormat,
  })
  endings.begin(ingest)
  try {
    for await (const chunk of gatherChunks(content, handOverBytes)) {
      receiving.done += chunk.length
      await ingest.push(chunk).catch(toUnavailable)
      running.update({ progress: { done: receiving.done, total: null, unit: 'bytes' }, ...shown(endings.progress()) })
    }
  } catch (error) {
    await endings.end(ingest, 'brokenOff')
    throw error
  }
  await endings.end(ingest, 'whole')
}

/** Reads one file of the form, and the files in it if it is an archive. */
const receiveFile = async (receiving: Receiving, settings: UploadSettings, file: UploadedFile) => {
  const sourceId = settings.sourceId ?? sourceIdOf(file)
  const expansion = receiving.expansion.file()
  const skippedBefore = receiving.skippedCount
  let texts = 0
  for await (const text of unpack(file.content, { expansion, spool: receiving.intake.spool })) {
    if ('skipped' in text) {
      noteSkipped(receiving, text.path, text.skipped)
      continue
    }
    texts++
    const own = text.path === undefined ? sourceId : memberSourceId(sourceId, text.path)
    await receiveText(receiving, { ...settings, sourceId: own }, text)
  }
  if (texts > 0) return
  if (receiving.skippedCount === skippedBefore)
    throw invalidField(['body', 'file'], `There is no file in ${file.filename}.`)
  const [first] = receiving.skipped.slice(skippedBefore)
  const example = first ? ` For example, ${first.name}: ${first.reason}` : ''
  throw serviceError('unsupported_media', `No file in ${file.filename} can be read.${example}`)
}

/**
 * Reads the form. A field applies to the files after it. A field that no file follows, as many clients send it, applies to the files before
 * it: these are held back while they are small.
 */
const receiveParts = async (
  receiving: Receiving,
  parameters: UploadParameters,
  parts: AsyncIterable<UploadPart>,
): Promise<void> => {
  let settings = settingsOf(parameters)
  let files = 0
  let late: string[] = []
  const held: { settings: UploadSettings; file: UploadedFile }[] = []
  let remaining = maxHeldBytes
  const passOn = async (override?: UploadSettings) => {
    for (const { file, settings: own } of held.splice(0)) await receiveFile(receiving, override ?? own, file)
    remaining = maxHeldBytes
  }
  for await (const part of parts) {
    if (part.kind === 'field') {
      settings = withField(settings, part.name, part.value)
      if (files > 0 && part.value !== '') late.push(part.name)
      continue
    }
    files++
    if (late.length > 0) await passOn()
    late = []
    const { content, bytes, isWhole } = await holdBack(part.content, remaining)
    held.push({ settings, file: { ...part, content } })
    remaining -= bytes
    if (!isWhole) await passOn()
  }
  if (files === 0) throw invalidField(['body', 'file'], 'The form has no file: send it as the field "file".')
  if (late.length > 0 && held.length < files)
    throw invalidField(
      ['body', late[0] ?? 'file'],
      `Send ${late.join(', ')} before the file: fields after a large file cannot be applied to it.`,
    )
  await passOn(late.length > 0 ? settings : undefined)
}

const storedSentence = ({ counts }: UploadResult): string =>
  counts.lines === 0 ? '' : ` What was read before that is stored: ${counted(counts.lines, 'line')}.`

/** Ends the task of an upload that failed, and returns the error to be thrown. */
const failUpload = async ({ running, endings, ...receiving }: Receiving, error: unknown): Promise<unknown> => {
  await endings.all().catch(() => undefined)
  const stored = endings.progress()
  const sentence = messageOf(error)
  const detail = `${sentence}${storedSentence(stored)}`
  const { skipped, skippedCount } = receiving
  await running.finish({ status: 'failed', error: detail, ...shown(stored), skipped, skippedCount })
  if (!isServiceError(error)) return error
  const { kind, retryAfterSeconds, headers } = error
  const named = Array.isArray(error.detail) ? error.detail.map((field) => ({ ...field, msg: detail })) : detail
  return serviceError(kind, named, {
    cause: error,
    headers,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

const finishUpload = async (receiving: Receiving): Promise<Task> => {
  const { running, endings, done, skipped, skippedCount } = receiving
  try {
    const result = await endings.all()
    const progress = { done, total: done, unit: 'bytes' }
    return await running.finish({ status: 'done', progress, ...shown(result), skipped, skippedCount })
  } catch (error) {
    const failed = isServiceError(error)
      ? error
      : serviceError('unavailable', 'The upload could not be stored. Send it again.', {
          cause: error,
          retryAfterSeconds: 5,
        })
    throw await failUpload(receiving, failed)
  }
}

const megabyte = 1024 * 1024

/** Reads a form to its end. When it returns, the files have been passed to the parser; the task is done when they are durable and searchable. */
export const receiveUpload = async (
  intake: UploadIntake,
  parameters: UploadParameters,
  parts: AsyncIterable<UploadPart>,
): Promise<{ task: Task; finished: Promise<Task> }> => {
  const running = await intake.tasks.begin('upload', 'bytes')
  const { maxUploadMegabytes, maxExpandedMegabytes } = intake.config
  const limits = {
    packedBytes: maxUploadMegabytes * megabyte,
    expandedBytes: maxExpandedMegabytes * megabyte,
  }
  const receiving: Receiving = {
    intake,
    running,
    expansion: createExpansion(limits),
    endings: createEndings(),
    done: 0,
    skipped: [],
    skippedCount: 0,
  }
  try {
    await receiveParts(receiving, parameters, parts)
  } catch (error) {
    throw await failUpload(receiving, error)
  }
  const finished = finishUpload(receiving)
  finished.catch(() => undefined)
  return { task: running.task, finished }
}
