import { homedir } from 'node:os'
import { invalidField } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { LogFile, SetupServiceDefinition, SourceDraft } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { findFiles } from '../collect/files/find-files.ts'
import { isProblem, readSource } from '../collect/read-source.ts'
import { refusalOfSource } from '../collect/source-access.ts'
import type { SourceEntry } from '../collect/source-entry.ts'
import type { Dependencies } from '../dependencies.ts'
import type { LocalFiles } from '../local-files/local-files.ts'
import type { Ssh } from '../ssh-targets/open-ssh.ts'
import { type Discovered, defaultLocations, discover, exists } from './discover.ts'
import { draftOf, idFor, toMapping } from './draft.ts'
import { interpret } from './interpret.ts'
import { customaryLogFolders } from './log-folders.ts'
import { promptModel } from './prompt-model.ts'
import { scanFiles } from './scan.ts'
import type { FoundFile } from './walk.ts'

/** Dependencies of the setup handlers. */
export type SetupDependencies = Pick<
  Dependencies,
  'config' | 'sources' | 'localFiles' | 'settings' | 'upstream' | 'log' | 'now'
>

const defaultResults = 20
const maxSuggestions = 30

const fileOf = ({ path, size, modifiedAt }: FoundFile): LogFile => ({
  path,
  size,
  modifiedAt: new Date(modifiedAt).toISOString(),
})

/** Drafts of sources for discovered logs that are not configured, each with a unique id. */
const suggestionsFor = (
  found: Discovered,
  configured: readonly SourceEntry[],
  paths: ReadonlySet<string>,
): SourceDraft[] => {
  const taken = new Set(configured.map(({ id }) => id))
  const types = new Set(configured.filter(({ transport }) => transport === 'local').map(({ gleanType }) => gleanType))
  const suggestions: SourceDraft[] = []
  const add = (draft: SourceDraft) => {
    suggestions.push(draft)
    taken.add(draft.id)
  }
  for (const type of ['journald', 'docker', 'podman'] as const)
    if (found[type] && !types.has(type))
      add(draftOf({ id: idFor(`/log/${type}`, taken), transport: 'local', gleanType: type }))
  for (const { path } of found.files.filter(({ path }) => !paths.has(path)).slice(0, maxSuggestions))
    add(draftOf({ id: idFor(path, taken), transport: 'local', gleanType: 'file', path }))
  return suggestions
}

/** The files of this machine that the configured sources read: their own paths, the files of folders, and those that patterns match. */
const configuredFiles = async (
  configured: readonly SourceEntry[],
  localFiles: LocalFiles,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const paths = new Set<string>()
  for (const entry of configured) {
    if (entry.transport !== 'local' || entry.gleanType !== 'file') continue
    paths.add(entry.path)
    const found = await findFiles(entry, { access: localFiles.for(entry.addedBy), signal, onProblem: () => undefined })
    for (const { path } of found) paths.add(path)
  }
  return paths
}

/** Checks local paths before anything is written. Throws `invalid`; `append` reports mappings that are not valid sources. */
const checkPaths = async (mappings: readonly Record<string, unknown>[], localFiles: LocalFiles): Promise<void> => {
  for (const [index, mapping] of mappings.entries()) {
    const read = readSource(mapping)
    const refusal = isProblem(read) ? undefined : await refusalOfSource({ ...read, addedBy: 'api' }, localFiles)
    if (refusal !== undefined)
      throw invalidField(
        ['body', 'sources', index, refusal.key],
        `sources[${index}].${refusal.key} ${refusal.problem}.`,
      )
  }
}

const checkKeys = (drafts: readonly SourceDraft[], refusalOfKey: Ssh['refusalOfKey']): void => {
  drafts.forEach(({ keyPath }, index) => {
    const refusal = keyPath ? refusalOfKey(keyPath) : undefined
    if (refusal !== undefined) throw invalidField(['body', 'sources', index, 'key_path'], refusal)
  })
}

export const setupRpc = (
  dependencies: SetupDependencies,
  { refusalOfKey }: Pick<Ssh, 'refusalOfKey'>,
): Handlers<typeof SetupServiceDefinition> => {
  const { config, sources, localFiles, now } = dependencies
  const { refusalOf, open } = localFiles.for('api')
  const mayBeAdded = async (path: string) => (await refusalOf(path)) === undefined
  const areNamed = config.scanDirectories.length > 0
  const roots = areNamed ? config.scanDirectories : customaryLogFolders(process.platform, homedir())
  const find = (signal: AbortSignal) => discover(roots, defaultLocations(), signal, { areNamed, mayBeAdded, open })
  return {
    getSetupStatus: async () => {
      const { entries, problems } = await sources.read()
      return { hasSources: entries.length > 0, sourceCount: entries.length, problems }
    },
    discoverSources: async (_, { signal }) => {
      const [found, { entries }] = await Promise.all([find(signal), sources.read()])
      const { journald, docker, podman, files } = found
      return {
        journald,
        docker,
        podman,
        files: files.map(fileOf),
        suggestions: suggestionsFor(found, entries, await configuredFiles(entries, localFiles, signal)),
      }
    },
    writeSources: async (request) => {
      checkKeys(request.sources, refusalOfKey)
      const mappings = request.sources.map(toMapping)
      await checkPaths(mappings, localFiles)
      const written = await sources.append(mappings)
      return { written: written.length, sources: request.sources }
    },
    interpretSource: async ({ text }, { signal }) => {
      const { entries } = await sources.read()
      return interpret(text, {
        // Callers must not learn whether files outside the allowed folders exist.
        exists: async (path) => (await mayBeAdded(path)) && (await exists(path)),
        discover: () => find(signal),
        taken: new Set(entries.map(({ id }) => id)),
        promptModel: (prompt) => promptModel(dependencies, prompt, signal),
      })
    },
    scanFiles: async ({ query, maxResults }, { signal }) => {
      const scan = await scanFiles({
        roots,
        areNamed,
        mayBeAdded,
        open,
        query: query ?? undefined,
        maxResults: maxResults ?? defaultResults,
        now: now(),
        signal,
      })
      return {
        files: scan.files.map((file) => ({ ...fileOf(file), score: file.score, matches: file.matches })),
        isComplete: scan.isComplete,
      }
    },
  }
}
