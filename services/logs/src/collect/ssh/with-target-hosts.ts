import type { SourceEntry } from '../source-entry.ts'
import type { ConfiguredSources } from '../sources-file.ts'
import type { SshAddress } from './handshake.ts'

/**
 * Sources that name an SSH target but no host get the host of the target, which listings and the source ids of their units then contain. A
 * source whose target does not exist is unchanged.
 */
export const withTargetHosts = (
  sources: ConfiguredSources,
  addressOf: (targetId: string) => Promise<SshAddress | undefined>,
): ConfiguredSources => {
  const named = async (entry: SourceEntry): Promise<SourceEntry> => {
    if (entry.transport !== 'ssh' || entry.host !== null || entry.reach.kind !== 'target') return entry
    const address = await addressOf(entry.reach.targetId)
    return address ? { ...entry, host: address.host } : entry
  }
  return {
    read: async () => {
      const document = await sources.read()
      return { ...document, entries: await Promise.all(document.entries.map(named)) }
    },
    append: async (added) => Promise.all((await sources.append(added)).map(named)),
  }
}
