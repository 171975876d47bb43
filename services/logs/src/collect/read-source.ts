import type { SourceEntry, SshReach } from './source-entry.ts'
import {
  absolutePath,
  days,
  FieldProblem,
  type FieldReader,
  flag,
  formatName,
  identifier,
  joinRule,
  oneOf,
  otherwise,
  portNumber,
  required,
  sourceIdText,
  text,
  texts,
  zoneName,
} from './source-fields.ts'

/** What is wrong with one source: a sentence, and the key it is about. */
export type SourceProblem = { key: string | undefined; problem: string }

type Fields = Record<string, FieldReader<unknown>>
type Values<Read extends Fields> = { [Key in keyof Read]: ReturnType<Read[Key]> }

const name = text(253)

const transports = ['local', 'ssh'] as const

const everyEntry = {
  id: required(identifier),
  transport: otherwise('local', oneOf(...transports)),
  glean_type: otherwise(undefined, text(40)),
  enabled: otherwise(true, flag),
  tenant_id: otherwise(null, name),
  retention_days: otherwise(null, days),
  source_id: otherwise(undefined, sourceIdText),
  host: otherwise(null, name),
  format: otherwise(undefined, formatName),
  timezone: otherwise(undefined, zoneName),
  multiline: otherwise(undefined, joinRule),
  // Written with what comes through the API. Whoever edits the file by hand vouches for a source by removing it.
  added_by: otherwise('administrator', oneOf('administrator', 'api')),
} satisfies Fields

const files = {
  ...everyEntry,
  path: required(absolutePath),
  include: otherwise([], texts),
  exclude: otherwise([], texts),
  recursive: otherwise(true, flag),
} satisfies Fields

const journal = {
  ...everyEntry,
  units: otherwise([], texts),
  path: otherwise(undefined, absolutePath),
} satisfies Fields

const containers = {
  ...everyEntry,
  containers: otherwise([], texts),
  socket: otherwise(undefined, absolutePath),
} satisfies Fields

const ssh = {
  ...everyEntry,
  ssh_target: otherwise(undefined, name),
  port: otherwise(22, portNumber),
  user: otherwise(undefined, name),
  key_path: otherwise(undefined, absolutePath),
  path: otherwise(undefined, absolutePath),
  remote_path: otherwise(undefined, absolutePath),
  units: otherwise([], texts),
  containers: otherwise([], texts),
} satisfies Fields

const localTypes = ['file', 'journald', 'docker', 'podman'] as const
const sshTypes = ['journald', 'syslog', 'plaintext', 'docker'] as const

/** Thrown while one source is read; `key` is where in it. */
class SourceUnreadable extends Error {
  readonly key: string | undefined
  constructor(key: string | undefined, problem: string) {
    super(problem)
    this.key = key
  }
}

/** Reads one field; what is wrong with it is said with its key. */
const readField = <Value>(given: Record<string, unknown>, key: string, read: FieldReader<Value>): Value => {
  try {
    return read(given[key])
  } catch (error) {
    throw error instanceof FieldProblem ? new SourceUnreadable(key, error.message) : error
  }
}

const readFields = <Read extends Fields>(given: Record<string, unknown>, fields: Read): Values<Read> => {
  const unknownKey = Object.keys(given).find((key) => !(key in fields))
  if (unknownKey !== undefined)
    throw new SourceUnreadable(unknownKey, `is not known here; there are ${Object.keys(fields).join(', ')}`)
  const values = Object.entries(fields).map(([key, read]) => [key, readField(given, key, read)])
  return Object.fromEntries(values) as Values<Read>
}

const shared = (values: Values<typeof everyEntry>) => ({
  id: values.id,
  enabled: values.enabled,
  tenantId: values.tenant_id,
  retentionDays: values.retention_days,
  sourceId: values.source_id ?? values.id,
  host: values.host,
  format: values.format,
  timezone: values.timezone,
  multiline: values.multiline,
  addedBy: values.added_by,
})

const reachOf = (values: Values<typeof ssh>): SshReach => {
  if (values.ssh_target !== undefined) return { kind: 'target', targetId: values.ssh_target }
  const { host, user, port, key_path: keyPath } = values
  if (host === null) throw new SourceUnreadable('host', 'is missing: name a host, or an ssh_target')
  if (user === undefined) throw new SourceUnreadable('user', 'is missing')
  if (keyPath === undefined) throw new SourceUnreadable('key_path', 'is missing: SSH is used with keys alone')
  return { kind: 'address', host, port, user, keyPath }
}

const typeAmong = <const Word extends string>(given: Record<string, unknown>, words: readonly Word[]): Word =>
  readField(given, 'glean_type', required(oneOf(...words)))

const listed = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1')

const readLocal = (given: Record<string, unknown>): SourceEntry => {
  if (given.glean_type === undefined && !('path' in given))
    throw new SourceUnreadable('glean_type', `is missing: give it, or the path of a file; it is ${listed(localTypes)}`)
  // A path says enough.
  const type = given.glean_type === undefined && 'path' in given ? 'file' : typeAmong(given, localTypes)
  if (type === 'file') {
    const { path, include, exclude, recursive, ...values } = readFields(given, files)
    return { ...shared(values), transport: 'local', gleanType: type, path, include, exclude, recursive }
  }
  if (type === 'journald') {
    const { units, path, ...values } = readFields(given, journal)
    return { ...shared(values), transport: 'local', gleanType: type, units, path }
  }
  const { containers: names, socket, ...values } = readFields(given, containers)
  return { ...shared(values), transport: 'local', gleanType: type, containers: names, socket }
}

const readSsh = (given: Record<string, unknown>): SourceEntry => {
  const type = typeAmong(given, sshTypes)
  const values = readFields(given, ssh)
  const path = values.remote_path ?? values.path ?? null
  if (path === null && (type === 'syslog' || type === 'plaintext'))
    throw new SourceUnreadable('remote_path', 'is missing: a file on the remote host, or a pattern of files')
  const { units, containers: names } = values
  return {
    ...shared(values),
    transport: 'ssh',
    gleanType: type,
    reach: reachOf(values),
    path,
    units,
    containers: names,
  }
}

/** Reads one source as YAML or JSON tells it. */
export const readSource = (given: unknown): SourceEntry | SourceProblem => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { key: undefined, problem: 'must be a mapping with an id, such as {id: syslog, path: /var/log/syslog}' }
  const mapping = given as Record<string, unknown>
  try {
    return readField(mapping, 'transport', everyEntry.transport) === 'ssh' ? readSsh(mapping) : readLocal(mapping)
  } catch (error) {
    if (!(error instanceof SourceUnreadable)) throw error
    return { key: error.key, problem: error.message }
  }
}

export const isProblem = (read: SourceEntry | SourceProblem): read is SourceProblem => 'problem' in read
