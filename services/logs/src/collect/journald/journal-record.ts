import { syslogSeverity } from '../../formats/levels.ts'
import { type CollectedRecord, sequenceWithin } from '../records/record.ts'
import type { JournalFields } from './export-format.ts'

const maxPartCharacters = 100
const maxFieldCharacters = 1_024
const maxFields = 32
/** Of these there is a new one for each login or each start: a source for each would say nothing. */
const passingUnit = /^(?:session-\w+\.scope|run-\w+\.(?:scope|service|mount)|.*@\d+-\d+-.*\.service)$/
/** What becomes no field: it is the entry itself, is the same for all of a machine, or is binary. */
const noField = new Set(
  (
    'MESSAGE _MACHINE_ID _STREAM_ID _CAP_EFFECTIVE _SELINUX_CONTEXT SYSLOG_TIMESTAMP SYSLOG_RAW ' +
    'SYSLOG_FACILITY COREDUMP _SYSTEMD_CGROUP _SYSTEMD_SLICE _SYSTEMD_INVOCATION_ID _SOURCE_REALTIME_TIMESTAMP _SOURCE_MONOTONIC_TIMESTAMP'
  ).split(' '),
)

/** A part of a source id: colons part them. */
export const sourcePart = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    .replaceAll(/[:\s\u0000-\u001f\u007f]+/g, '_')
    .slice(0, maxPartCharacters)

/** The unit that an entry is about or came from, else who wrote it. */
const unitOf = (text: (name: string) => string | undefined): string => {
  const units = ['UNIT', 'OBJECT_SYSTEMD_UNIT', '_SYSTEMD_UNIT', 'USER_UNIT', '_SYSTEMD_USER_UNIT']
  const unit = units.map(text).find((name) => name !== undefined && name !== '' && !passingUnit.test(name))
  if (unit !== undefined) return unit.replace(/\.service$/, '')
  if (text('_TRANSPORT') === 'kernel') return 'kernel'
  return text('SYSLOG_IDENTIFIER') || text('_COMM') || 'unknown'
}

/** What a program prints has 6 unless it says otherwise (`SyslogLevel=` of systemd.exec): then its words decide. */
const severityOf = (priority: string | undefined, transport: string | undefined): number | undefined => {
  if (priority === undefined || !/^[0-7]$/.test(priority)) return undefined
  return transport === 'stdout' && priority === '6' ? undefined : syslogSeverity(Number(priority))
}

/** Fields as text; one that is no text is left out. */
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

/** The number in the journal that a cursor names (`i=`, hexadecimal), if it is one that can be kept. */
const numberIn = (cursor: string | undefined): number | undefined => {
  const digits = /(?:^|;)i=([0-9a-f]{1,13})(?:;|$)/.exec(cursor ?? '')?.[1]
  const number = digits === undefined ? Number.NaN : Number.parseInt(digits, 16)
  return number <= 2 ** 52 ? number : undefined
}

export const cursorOf = (fields: JournalFields): string | undefined => fields.get('__CURSOR')?.toString('latin1')
export const bootOf = (fields: JournalFields): string | undefined => fields.get('_BOOT_ID')?.toString('latin1')

/**
 * An entry of a journal as a record; undefined for one without a message. `sourceIdOf` names the source of a unit. Fields:
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
  const sourceId = sourceIdOf(sourcePart(unitOf(text)))
  const transport = text('_TRANSPORT')
  return {
    sourceId,
    stream: transport === 'stdout' ? `${sourceId}:${text('_PID') ?? ''}` : undefined,
    text: message.replaceAll('\0', '�'),
    time: Math.floor(microseconds / 1_000),
    sequence: numberIn(cursorOf(fields)) ?? sequenceWithin((microseconds % 1_000) * 1_000 || 0, 1),
    severity: severityOf(text('PRIORITY'), transport),
    hint: undefined,
    fields: fieldsOf(fields),
  }
}
