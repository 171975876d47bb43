import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import type { JoinRule } from '../formats/multiline.ts'
import type { AddedBy } from '../local-files/local-files.ts'

/** The properties of every configured source. */
type EveryEntry = {
  /** The unique id in URLs and tasks. */
  id: string
  /** Sources added through the API read local files in folders of SERVICE_LOG_DIRS only. */
  addedBy: AddedBy
  /** Whether it is collected on schedule and watched. A disabled source can still be collected by its id. */
  enabled: boolean
  /** The namespace of its entries. */
  tenantId: string | null
  /** Entries are deleted this many days after their arrival; null for the service's own retention. */
  retentionDays: number | null
  /** The source id of its entries; its id by default. See `unitSourceId`. */
  sourceId: string
  /** Named in the source ids of its units; unless configured, this machine's name for `local`, and the remote host's for `ssh`. */
  host: string | null
  /** Skips detection. */
  format: string | undefined
  /** An IANA name or an offset, for times without a time zone; that of the server by default. */
  timezone: string | undefined
  /** How lines are joined into entries; overrides the rule of the format. */
  multiline: JoinRule | undefined
}

/** Files of this machine: one file, all files of a folder, or those that match a pattern. */
export type LocalFileEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'file'
  /** Absolute; a file, a folder, or a glob. */
  path: string
  /** Globs that a file in a folder must match, by its path in the folder or by its name; if empty, all but known binaries. */
  include: readonly string[]
  /** Globs of files that are skipped; they take precedence over `include`. */
  exclude: readonly string[]
  /** Whether subfolders are read. */
  recursive: boolean
}

/** The journal of this machine, or of some of its units. */
export type LocalJournalEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'journald'
  /** All when empty. */
  units: readonly string[]
  /** A folder with journal files instead of the system's. */
  path: string | undefined
}

/** Containers of this machine. */
export type LocalContainerEntry = EveryEntry & {
  transport: 'local'
  gleanType: 'docker' | 'podman'
  /** Names, ids or globs of names; all when empty. */
  containers: readonly string[]
  /** The engine's socket, if not at its usual path. */
  socket: string | undefined
}

/** How a remote host is reached: a target that the service stores, or a complete address. */
export type SshReach =
  | { kind: 'target'; targetId: string }
  | { kind: 'address'; host: string; port: number; user: string; keyPath: string }

/** Logs of another machine. `plaintext` and `syslog` need a path, which may be a glob. */
export type SshEntry = EveryEntry & {
  transport: 'ssh'
  gleanType: 'journald' | 'syslog' | 'plaintext' | 'docker'
  reach: SshReach
  /** On the remote host; null if the type needs none. */
  path: string | null
  units: readonly string[]
  containers: readonly string[]
}

export type LocalEntry = LocalFileEntry | LocalJournalEntry | LocalContainerEntry

/** A source as configured in the sources file. */
export type SourceEntry = LocalEntry | SshEntry

export const maxSourceIdCharacters = 253

/** Control characters may occur in file names, but not in source ids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controls = /[\u0000-\u001f\u007f]/g

/** The host that is named in the source ids of an entry's units. */
export const hostOf = (entry: SourceEntry): string => {
  if (entry.host !== null) return entry.host
  if (entry.transport === 'local') return hostname()
  return entry.reach.kind === 'address' ? entry.reach.host : entry.reach.targetId
}

/**
 * The source id of one unit (a file of a folder, a systemd unit, a container) of a source: `<prefix>:<host>:<unit>`, so that listings group
 * all units of a host. An id that contains a host (`local:attic`) is followed by the unit only. A digest ends an id that would be too long.
 */
export const unitSourceId = (entry: SourceEntry, unit: string): string => {
  const { sourceId } = entry
  const stem = sourceId.includes(':') ? sourceId : `${sourceId}:${hostOf(entry).replaceAll(':', '-')}`
  const whole = `${stem}:${unit.replaceAll(controls, '?')}`.toWellFormed()
  if (whole.length <= maxSourceIdCharacters) return whole
  const digest = hash('sha256', whole, 'hex').slice(0, 12)
  return `${whole.slice(0, maxSourceIdCharacters - digest.length - 1).toWellFormed()}~${digest}`
}

/** Whether a source id is that of this configured source or of one of its units. */
export const isOfEntry = (entry: SourceEntry, sourceId: string): boolean =>
  sourceId === entry.sourceId || sourceId.startsWith(`${entry.sourceId}:`)
