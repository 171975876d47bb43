import type { World } from '../world.ts'
import { type Collecting, createCollecting } from './collecting.ts'
import { createContainerCollector } from './docker/container-collector.ts'
import { createFileCollector } from './files/file-collector.ts'
import { createJournalCollector } from './journald/journald-collector.ts'
import { createSshCollector } from './ssh/ssh-collector.ts'

const megabyte = 1024 * 1024

/** Collecting in each of the ways there are. */
export const openCollecting = (world: World): Promise<Collecting> => {
  const { config, ssh, now } = world
  return createCollecting({
    ...world,
    collectors: {
      local: {
        file: createFileCollector({ mostExpandedBytes: config.maximumExpandedMegabytes * megabyte, now }),
        journald: createJournalCollector({ now }),
        docker: createContainerCollector({ now }),
        podman: createContainerCollector({ now }),
      },
      ssh: createSshCollector({ connections: ssh.connections, addressOf: ssh.targets.addressOf, now }),
    },
  })
}
