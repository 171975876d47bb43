import { severityCode } from '../../entries/severity-code.ts'
import { syslogSeverity } from '../../formats/levels.ts'
import { type CollectedRecord, sequenceWithin } from '../records/record.ts'
import type { JournalFields } from './export-format.ts'

const maxPartCharacters = 100
const maxFieldCharacters = 1_024
const maxFields = 32
/** Units that are created for each login or each start: a separate source for each would be useless. */
const passingUnit = /^(?:session-\w+\.scope|run-\w+\.(?:scope|service|mount)|.*@\d+-\d+-.*\.service)$/
/** Journal fields that do not become fields of the entry: its content, constants of a machine, and binary data. */
const noField = new Set(
  (
    'MESSAGE _MACHINE_ID _STREAM_ID _CAP_EFFECTIVE _SELINUX_CONTEXT SYSLOG_TIMESTAMP SYSLOG_RAW ' +
    '_LINE_BREAK CONTAINER_PARTIAL_MESSAGE CONTAINER_PARTIAL_ID CONTAINER_PARTIAL_ORDINAL CONTAINER_PARTIAL_LAST ' +
    'SYSLOG_FACILITY COREDUMP _SYSTEMD_CGROUP _SYSTEMD_SLICE _SYSTEMD_INVOCATION_ID _SOURCE_REALTIME_TIMESTAMP _SOURCE_MONOTONIC_TIMESTAMP'
  ).split(' '),
)

/** Text as a part of a source id, in which colons are separators. */
export const sourcePart = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    .replaceAll(/[:\s\u0000-\u001f\u007f]+/g, '_')
    .slice(0, maxPartCharacters)

/** The unit that an entry is about or came from, else the program that wrote it. */
const unitOf = (text: (name: string) => string | undefined): string => {
  const units = ['UNIT', 'OBJECT_SYSTEMD_UNIT', '_SYSTEMD_UNIT', 'USER_UNIT', '_SYSTEMD_USER_UNIT']
  const unit = units.map(text).find((name) => name !== undefined && name !== '' && !passingUnit.test(name))
  if (unit !== undefined) return unit.replace(/\.service$/, '')
  if (text('_TRANSPORT') === 'kernel') return 'kernel'
  return text('SYSLOG_IDENTIFIER') || text('_COMM') || 'unknown'
}

/** Output of programs has priority 6 by default (`SyslogLevel=` of systemd.exec): then the severity is guessed from the text. */
const severityOf = (priority: string | undefined, transport: string | undefined): number | undefined => {
  if (priority === undefined || !/^[0-7]$/.test(priority)) return undefined
  return transport === 'stdout' && priority === '6' ? undefined : syslogSeverity(Number(priority))
}

/**
 * A line of a container whose engine logs to the journal. The priority only indicates the output: 6 is stdout and 3 is stderr, to which many
 * programs write everything.
 */
const ofContainer = (text: (name: string) => string | undefined) => {
  const [id, name] = [text('CONTAINER_ID'), text('CONTAINER_NAME')]
  if (id === undefined || name === undefined || name === '' || text('_TRANSPORT') !== 'journal') return undefined
  const isStderr = text('PRIORITY') === '3'
  return { name, stream: `${id}:${isStderr ? 'stderr' : 'stdout'}`, hint: isStderr ? severityCode.WARN : undefined }
}

/** Podman stores the line feed, too. */
const withoutLineFeed = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

/** Fields as text; binary fields are skipped. */
const fieldsOf = (fields: JournalFields): Record<string, string> => {
  const shown: Record<string, string> = {}
  let count = 0
  for (const [name, value] of fields) {
    if (name.startsWith('__') || noField.has(name) || count >= maxFields) continue
    const text = value.toString('utf8')
    if (text.includes('\0') || text.includes('�')) continue
    shown[name] = text.slice(0, maxFieldCharacters).toWellFormed()
    count++
  }
  return shown
}

/** The number in the journal that a cursor contains (`i=`, hexadecimal), if it is in the range of sequences. */
const numberIn = (cursor: string | undefined): number | undefined => {
  const digits = /(?:^|;)i=([0-9a-f]{1,13})(?:;|$)/.exec(cursor ?? '')?.[1]
  const number = digits === undefined ? Number.NaN : Number.parseInt(digits, 16)
  return number <= 2 ** 52 ? number : undefined
}

export const cursorOf = (fields: JournalFields): string | undefined => fields.get('__CURSOR')?.toString('latin1')
export const bootOf = (fields: JournalFields): string | undefined => fields.get('_BOOT_ID')?.toString('latin1')

/**
 * Converts an entry of a journal to a record; undefined for one without a message. `sourceIdOf` maps a unit to its source. Fields:
 * systemd.journal-fields(7).
 */
export const journalRecord = (
  fields: JournalFields,
  sourceIdOf: (unit: string) => string,
): CollectedRecord | undefined => {
  const text = (name: string) => fields.get(name)?.toString('utf8')
  const message = text('MESSAGE')
  if (message === undefined || message.trim() === '') return undefined
  const microseconds = Number(text('__REALTIME_TIMESTAMP') ?? Number.NaN)
  const container = ofContainer(text)
  const sourceId = sourceIdOf(sourcePart(container?.name ?? unitOf(text)))
  const transport = text('_TRANSPORT')
  return {
    sourceId,
    stream: container?.stream ?? (transport === 'stdout' ? `${sourceId}:${text('_PID') ?? ''}` : undefined),
    text: withoutLineFeed(message).replaceAll('\0', '�'),
    time: Math.floor(microseconds / 1_000),
    sequence: numberIn(cursorOf(fields)) ?? sequenceWithin((microseconds % 1_000) * 1_000 || 0, 1),
    severity: container ? undefined : severityOf(text('PRIORITY'), transport),
    hint: container?.hint,
    fields: fieldsOf(fields),
  }
}
