import { closedObject, listed, oneOf, optional, readDocument } from '@trellis/kit/documents'
import { z } from 'zod'
import type { SourceEntry, SshReach } from './source-entry.ts'
import {
  absolutePath,
  days,
  flag,
  formatName,
  globs,
  identifier,
  joinRule,
  portNumber,
  sourceIdText,
  text,
  texts,
  zoneName,
} from './source-fields.ts'

/** A problem with one source: a predicate, and the key that it is about. */
export type SourceProblem = { key: string | undefined; problem: string }

const localTypes = ['file', 'journald', 'docker', 'podman'] as const
const sshTypes = ['journald', 'syslog', 'plaintext', 'docker'] as const

const name = text(253)

const everySource = {
  id: identifier,
  enabled: optional(flag, true),
  tenant_id: optional(name, null),
  retention_days: optional(days, null),
  source_id: optional(sourceIdText, undefined),
  host: optional(name, null),
  format: optional(formatName, undefined),
  timezone: optional(zoneName, undefined),
  multiline: optional(joinRule, undefined),
  // Written with sources that are added through the API. An administrator who removes it takes responsibility for the source.
  added_by: optional(oneOf(['administrator', 'api']), 'administrator'),
}

const shared = (fields: z.output<z.ZodObject<typeof everySource>>) => ({
  id: fields.id,
  enabled: fields.enabled,
  tenantId: fields.tenant_id,
  retentionDays: fields.retention_days,
  sourceId: fields.source_id ?? fields.id,
  host: fields.host,
  format: fields.format,
  timezone: fields.timezone,
  multiline: fields.multiline,
  addedBy: fields.added_by,
})

const localFields = { ...everySource, transport: z.literal('local').nullish() }

const fileSource = closedObject({
  ...localFields,
  // The path alone identifies a source of files.
  glean_type: z.literal('file').nullish(),
  path: optional(absolutePath, '').refine(
    (path) => path !== '',
    'is missing: files need a path, other sources a glean_type',
  ),
  include: optional(globs, []),
  exclude: optional(globs, []),
  recursive: optional(flag, true),
}).transform(
  ({ path, include, exclude, recursive, ...fields }): SourceEntry => ({
    ...shared(fields),
    transport: 'local',
    gleanType: 'file',
    path,
    include,
    exclude,
    recursive,
  }),
)

const journalSource = closedObject({
  ...localFields,
  glean_type: z.literal('journald'),
  units: optional(texts, []),
  path: optional(absolutePath, undefined),
}).transform(
  ({ units, path, ...fields }): SourceEntry => ({
    ...shared(fields),
    transport: 'local',
    gleanType: 'journald',
    units,
    path,
  }),
)

const containerSource = closedObject({
  ...localFields,
  glean_type: z.enum(['docker', 'podman']),
  containers: optional(globs, []),
  socket: optional(absolutePath, undefined),
}).transform(
  ({ glean_type: gleanType, containers, socket, ...fields }): SourceEntry => ({
    ...shared(fields),
    transport: 'local',
    gleanType,
    containers,
    socket,
  }),
)

const sshFields = {
  ...everySource,
  transport: z.literal('ssh'),
  glean_type: oneOf(sshTypes),
  ssh_target: optional(name, undefined),
  port: optional(portNumber, 22),
  user: optional(name, undefined),
  key_path: optional(absolutePath, undefined),
  path: optional(absolutePath, undefined),
  remote_path: optional(absolutePath, undefined),
  units: optional(texts, []),
  containers: optional(globs, []),
}

type SshFields = z.output<z.ZodObject<typeof sshFields>>

const reachOf = (fields: SshFields): SshReach | SourceProblem => {
  if (fields.ssh_target !== undefined) return { kind: 'target', targetId: fields.ssh_target }
  const { host, user, port, key_path: keyPath } = fields
  if (host === null) return { key: 'host', problem: 'is missing: name a host, or an ssh_target' }
  if (user === undefined) return { key: 'user', problem: 'is missing' }
  if (keyPath === undefined) return { key: 'key_path', problem: 'is missing: SSH requires a key' }
  return { kind: 'address', host, port, user, keyPath }
}

const readSshFields = (fields: SshFields): SourceEntry | SourceProblem => {
  const { glean_type: gleanType, units, containers } = fields
  const path = fields.remote_path ?? fields.path ?? null
  if (path === null && (gleanType === 'syslog' || gleanType === 'plaintext'))
    return { key: 'remote_path', problem: 'is missing: a file on the remote host, or a pattern of files' }
  const reach = reachOf(fields)
  if ('problem' in reach) return reach
  return { ...shared(fields), transport: 'ssh', gleanType, reach, path, units, containers }
}

const sshSource = closedObject(sshFields).transform((fields, context): SourceEntry => {
  const read = readSshFields(fields)
  if (!isProblem(read)) return read
  context.issues.push({ code: 'custom', path: [read.key ?? ''], message: read.problem, input: fields })
  return z.NEVER
})

const localSource = z.discriminatedUnion('glean_type', [fileSource, journalSource, containerSource], {
  error: `must be ${listed(localTypes)}`,
})
const source = z.discriminatedUnion('transport', [localSource, sshSource], { error: 'must be local or ssh' })

/** Parses one source from YAML or JSON. */
export const readSource = (input: unknown): SourceEntry | SourceProblem => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { key: undefined, problem: 'must be a mapping with an id, such as {id: syslog, path: /var/log/syslog}' }
  const read = readDocument(source, input)
  if ('value' in read) return read.value
  const [key] = read.problem.path
  return { key: key === undefined ? undefined : String(key), problem: read.problem.message }
}

export const isProblem = (read: SourceEntry | SourceProblem): read is SourceProblem => 'problem' in read
