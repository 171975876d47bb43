import { basename, dirname } from 'node:path'
import type { SourceDraft } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { SourceDraft as SourceDraftMessage } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'

const inCode = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The keys of a source in the sources file. */
const keys = [
  'id',
  'transport',
  'glean_type',
  'path',
  'enabled',
  'source_id',
  'host',
  'tenant_id',
  'retention_days',
  'format',
  'timezone',
  'multiline',
  'include',
  'exclude',
  'recursive',
  'units',
  'containers',
  'socket',
  'ssh_target',
  'port',
  'user',
  'key_path',
  'remote_path',
] as const

/** A draft as an entry of the sources file, without fields that have no value. */
export const toMapping = (draft: SourceDraft): Record<string, unknown> => {
  const fields: Readonly<Record<string, unknown>> = { ...draft }
  return Object.fromEntries(
    keys
      .map((key) => [key, fields[inCode(key)]] as const)
      .filter(([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}

export const draftOf = (fields: Partial<SourceDraft> & { id: string }): SourceDraft =>
  SourceDraftMessage.fromPartial(fields)

const asId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'log'

/** A unique id for the source at a path: the file's name, prefixed with its folder's name unless that is generic. */
export const idFor = (path: string, taken: ReadonlySet<string>): string => {
  const name = asId(basename(path).replace(/\.(?:log|txt|out|jsonl)$/i, ''))
  const folder = asId(basename(dirname(path)))
  const candidates = [folder === 'log' || folder === 'logs' || name === folder ? name : `${folder}-${name}`]
  for (let number = 2; number < taken.size + 3; number++) candidates.push(`${candidates[0]}-${number}`)
  return candidates.find((id) => !taken.has(id)) ?? candidates[0] ?? name
}
