import type { Dependencies } from '../dependencies.ts'
import { type Collecting, createCollecting } from './collecting.ts'
import { createContainerCollector } from './docker/container-collector.ts'
import { createFileCollector } from './files/file-collector.ts'
import { createJournalCollector } from './journald/journald-collector.ts'
import { refusalOfSource, withAccess } from './source-access.ts'
import { createSshCollector } from './ssh/ssh-collector.ts'

/**
 * Sources written by an earlier version have no mark of who added them and count as the administrator's. Those outside of the usual log folders
 * are logged at the start, so that the administrator notices one that was added by another user.
 */
const warnOfForeignPaths = async ({
  sources,
  localFiles,
  log,
}: Pick<Dependencies, 'sources' | 'localFiles' | 'log'>) => {
  const { entries } = await sources.read()
  for (const source of entries) {
    if (source.addedBy !== 'administrator') continue
    const refusal = await refusalOfSource({ ...source, addedBy: 'api' }, localFiles)
    if (refusal !== undefined)
      log.warn(
        { source: source.id },
        'source reads outside of SERVICE_LOG_DIRS because the sources file names it; remove it if you did not write it',
      )
  }
}

const megabyte = 1024 * 1024

/** Opens collecting with all available collectors. */
export const openCollecting = (dependencies: Dependencies): Promise<Collecting> => {
  const { config, ssh, localFiles, now } = dependencies
  void warnOfForeignPaths(dependencies).catch((error: unknown) =>
    dependencies.log.error({ error }, 'the sources file cannot be checked'),
  )
  return createCollecting({
    ...dependencies,
    collectors: {
      local: {
        file: createFileCollector({
          localFiles,
          maxExpandedBytes: config.maxExpandedMegabytes * megabyte,
          now,
        }),
        journald: withAccess(createJournalCollector({ now }), localFiles),
        docker: withAccess(createContainerCollector({ now }), localFiles),
        podman: withAccess(createContainerCollector({ now }), localFiles),
      },
      ssh: createSshCollector({
        connections: ssh.connections,
        addressOf: ssh.targets.addressOf,
        maxExpandedBytes: config.maxExpandedMegabytes * megabyte,
        now,
      }),
    },
  })
}
