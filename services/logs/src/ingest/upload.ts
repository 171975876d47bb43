import { failure } from '@trellis/kit/errors'
import type { UploadedFile, UploadPart } from '@trellis/kit/rpc'
import type { Task, UploadParameters } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { formatNames } from '../formats/detect.ts'
import { zoneOf } from '../formats/zone.ts'
import type { FileIngest, UploadResult } from '../threads/file-ingest.ts'
import type { World } from '../world.ts'
import type { RunningTask } from './tasks.ts'
import { unpack } from './unpack.ts'

/** Chunks go to the parser when so many bytes have come together. */
const handOverBytes = 256 * 1024
const mostSourceIdCharacters = 253

type FileSettings = { sourceId?: string; format?: string; firstYear?: number; zone?: string }

/** Checks a field of the form; throws `invalid`. An empty field says nothing. */
const readField = (settings: FileSettings, name: string, value: string): FileSettings => {
  if (value === '') return settings
  if (name === 'source_id') return { ...settings, sourceId: checkSourceId(value) }
  if (name === 'format') {
    if (!formatNames.includes(value)) throw failure('invalid', `"${value}" is no format: ${formatNames.join(', ')}.`)
    return { ...settings, format: value }
  }
  if (name === 'year') {
    if (!/^(?:19|20)\d\d$/.test(value)) throw failure('invalid', `year must be one such as 2026, but is "${value}".`)
    return { ...settings, firstYear: Number(value) }
  }
  if (name === 'timezone') {
    if (!zoneOf(value)) throw failure('invalid', `"${value}" is no time zone: use one such as Europe/Berlin or +02:00.`)
    return { ...settings, zone: value }
  }
  return settings
}

export const checkSourceId = (value: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (value.length > mostSourceIdCharacters || /[\u0000-\u001f]/.test(value)) {
    throw failure(
      'invalid',
      `source_id must be at most ${mostSourceIdCharacters} characters without control characters.`,
    )
  }
  return value
}

const sourceIdOf = (file: UploadedFile): string => {
  const name =
    file.filename
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:gz|zst)$/i, '') ?? ''
  return checkSourceId(name === '' ? 'upload' : name)
}

const sum = (left: UploadResult, right: UploadResult): UploadResult => {
  const formats = { ...left.formats }
  for (const [name, lines] of Object.entries(right.formats)) formats[name] = (formats[name] ?? 0) + lines
  return {
    counts: {
      lines: left.counts.lines + right.counts.lines,
      entries: left.counts.entries + right.counts.entries,
      duplicates: left.counts.duplicates + right.counts.duplicates,
      rejected: left.counts.rejected + right.counts.rejected,
      multiline_joined: left.counts.multiline_joined + right.counts.multiline_joined,
    },
    formats,
  }
}
const nothing: UploadResult = {
  counts: { lines: 0, entries: 0, duplicates: 0, rejected: 0, multiline_joined: 0 },
  formats: {},
}

const shown = ({ counts: { multiline_joined, ...counts }, formats }: UploadResult) => ({
  counts: { ...counts, multilineJoined: multiline_joined },
  formats,
})

/** Hands a file over as it comes; what is handed over is kept even if the rest never comes. Gives what ends it. */
const sendFile = async (
  world: World,
  settings: FileSettings,
  file: UploadedFile,
  onBytes: (bytes: number) => void,
): Promise<FileIngest> => {
  const ingest = await world.engine.ingestFile({
    source: { sourceId: settings.sourceId ?? sourceIdOf(file), branch: null, tenantId: null },
    format: settings.format,
    zone: settings.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    reference: world.now(),
    firstYear: settings.firstYear,
  })
  let gathered: Uint8Array[] = []
  let bytes = 0
  const handOver = async () => {
    if (bytes === 0) return
    const chunk = new Uint8Array(bytes)
    let offset = 0
    for (const part of gathered) {
      chunk.set(part, offset)
      offset += part.length
    }
    gathered = []
    bytes = 0
    await ingest.push(chunk)
  }
  try {
    const limits = {
      packedBytes: world.config.maximumUploadMegabytes * 1024 * 1024,
      expandedBytes: world.config.maximumExpandedMegabytes * 1024 * 1024,
    }
    for await (const part of unpack(file.content, limits)) {
      gathered.push(part)
      bytes += part.length
      onBytes(part.length)
      if (bytes >= handOverBytes) await handOver()
    }
    await handOver()
    return ingest
  } catch (error) {
    await ingest.drop()
    throw error
  }
}

/** Reads a form to its end. The files are in the parser's hands when it returns; the task is done when they are durable and searchable. */
export const receiveUpload = async (
  world: World,
  parameters: UploadParameters,
  parts: AsyncIterable<UploadPart>,
): Promise<{ task: Task; finished: Promise<Task> }> => {
  const running = await world.tasks.begin('upload', 'bytes')
  const ingests: FileIngest[] = []
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    running.update({
      progress: { done, total: null, unit: 'bytes' },
      ...shown(ingests.map((ingest) => ingest.progress()).reduce(sum, nothing)),
    })
  }
  try {
    let settings: FileSettings = {}
    for (const name of ['sourceId', 'format', 'year', 'timezone'] as const) {
      settings = readField(settings, name === 'sourceId' ? 'source_id' : name, parameters[name] ?? '')
    }
    for await (const part of parts) {
      if (part.kind === 'field') settings = readField(settings, part.name, part.value)
      else ingests.push(await sendFile(world, settings, part, onBytes))
    }
    if (ingests.length === 0) throw failure('invalid', 'The form has no file: send it as the field "file".')
  } catch (error) {
    await Promise.all(ingests.map((ingest) => ingest.end().catch(() => undefined)))
    await running.finish({ status: 'failed', error: error instanceof Error ? error.message : String(error) })
    throw error
  }
  const finished = finishUpload(running, ingests, done)
  finished.catch(() => undefined)
  return { task: running.task, finished }
}

const finishUpload = async (running: RunningTask, ingests: readonly FileIngest[], done: number): Promise<Task> => {
  try {
    const results = await Promise.all(ingests.map((ingest) => ingest.end()))
    return await running.finish({
      status: 'done',
      progress: { done, total: done, unit: 'bytes' },
      ...shown(results.reduce(sum, nothing)),
    })
  } catch (error) {
    await running.finish({ status: 'failed', error: error instanceof Error ? error.message : String(error) })
    throw failure('unavailable', 'The upload could not be kept. What was read before is; try again for the rest.', {
      cause: error,
      retryAfterSeconds: 5,
    })
  }
}
