import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import type { JoinRule } from '../formats/multiline.ts'
import type { AddedBy } from '../local-files/local-files.ts'

/** What every configured source has. */
type EveryEntry = {
  /** What paths and tasks call it; no other source has it. */
  id: string
  /** Sources added through the API read local files in folders of SERVICE_LOG_DIRS only. */
  addedBy: AddedBy
  /** Whether it is collected on schedule and watched. One that is not can still be asked for by its id. */
  enabled: boolean
  /** The namespace of its entries. */
  tenantId: string | null
  /** Its entries go so many days after they arrived; null: as the service is told. */
  retentionDays: number | null
  /** What its entries are kept under; the id unless told. See `unitSourceId`. */
  sourceId: string
  /** Named in the source ids of its units; unless configured, this machine's name for `local`, and the remote host's for `ssh`. */
  host: string | null
  /** Skips detection. */
  format: string | undefined
  /** An IANA name or an offset, for times that name no zone; the server's unless told. */
  timezone: string | undefined
  /** How lines join to entries, where the format's own way is not wanted. */
  multiline: JoinRule | undefined
}

/** Files of this machine: one file, all files of a folder, or those that a pattern names. */
export type LocalFileEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'file'
  /** Absolute; a file, a folder, or a glob. */
  path: string
  /** Globs that a file of a folder must fit, by its path in the folder or by its name; all but known binaries when empty. */
  include: readonly string[]
  /** Globs of files that are left out; they win over `include`. */
  exclude: readonly string[]
  /** Whether folders in a folder are gone through, too. */
  recursive: boolean
}

/** The journal of this machine, or of some of its units. */
export type LocalJournalEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'journald'
  /** All when empty. */
  units: readonly string[]
  /** A folder with journal files, where it is not the system's own. */
  path: string | undefined
}

/** Containers of this machine. */
export type LocalContainerEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'docker' | 'podman'
  /** Names, ids or globs of names; all when empty. */
  containers: readonly string[]
  /** The engine's socket, where it is not at its usual place. */
  socket: string | undefined
}

/** How a remote host is reached: a target kept by the service, or all that one says. */
export type SshReach =
  | { kind: 'target'; targetId: string }
  | { kind: 'address'; host: string; port: number; user: string; keyPath: string }

/** Logs of another machine. `plaintext` and `syslog` need a path, which may be a glob. */
export type SshEntry = EveryEntry & {
  transport: 'ssh'
  gleanType: 'journald' | 'syslog' | 'plaintext' | 'docker'
  reach: SshReach
  /** On the remote host; null where the type needs none. */
  path: string | null
  units: readonly string[]
  containers: readonly string[]
}

export type LocalEntry = LocalFileEntry | LocalJournalEntry | LocalContainerEntry

/** A source as the sources file tells it. */
export type SourceEntry = LocalEntry | SshEntry

export const maxSourceIdCharacters = 253

/** A file's name may have them; a source id has not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u001f\u007f]/g

/** The host that the source ids of an entry's units name. */
export const hostOf = (entry: SourceEntry): string => {
  if (entry.host !== null) return entry.host
  if (entry.transport === 'local') return hostname()
  return entry.reach.kind === 'address' ? entry.reach.host : entry.reach.targetId
}

/**
 * The source id of one unit (a file of a folder, a systemd unit, a container) of a source: `<prefix>:<host>:<unit>`, so that listings group
 * all units of a host. An id that names its host already (`local:attic`) gets the unit alone. What would be too long ends with a digest.
 */
export const unitSourceId = (entry: SourceEntry, unit: string): string => {
  const { sourceId } = entry
  const stem = sourceId.includes(':') ? sourceId : `${sourceId}:${hostOf(entry).replaceAll(':', '-')}`
  const whole = `${stem}:${unit.replaceAll(controls, '?')}`.toWellFormed()
  if (whole.length <= maxSourceIdCharacters) return whole
  const digest = hash('sha256', whole, 'hex').slice(0, 12)
  return `${whole.slice(0, maxSourceIdCharacters - digest.length - 1).toWellFormed()}~${digest}`
}

/** Whether entries kept under a source id are of this configured source or of one of its units. */
export const isOfEntry = (entry: SourceEntry, sourceId: string): boolean =>
  sourceId === entry.sourceId || sourceId.startsWith(`${entry.sourceId}:`)
