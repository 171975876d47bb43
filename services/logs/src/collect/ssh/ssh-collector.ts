import { serviceError } from '@trellis/kit/errors'
import type { Batch, Chunk, Collector, CollectRequest } from '../collector.ts'
import { collectContainers } from '../docker/container-collector.ts'
import type { ContainerEngine } from '../docker/engine.ts'
import { createEngineApi } from '../docker/engine-api.ts'
import { createEngineCommands } from '../docker/engine-commands.ts'
import { collectJournal } from '../journald/journald-collector.ts'
import type { SshEntry, SshReach } from '../source-entry.ts'
import { collectRemoteFiles } from './collect-remote-files.ts'
import type { SshConnection } from './connection.ts'
import type { SshConnections } from './connections.ts'
import type { SshAddress } from './handshake.ts'
import { createCommandFiles, createSftpFiles, type RemoteFiles } from './remote-files.ts'
import { isSshFailure } from './ssh-failure.ts'

export type SshCollectorOptions = {
  connections: SshConnections
  /** The address of a stored target; undefined for an unknown id. */
  addressOf: (targetId: string) => Promise<SshAddress | undefined>
  /** The limit of a compressed file, decompressed. */
  maxExpandedBytes: number
  now: () => number
}

const dockerSocket = '/var/run/docker.sock'

/** Uses SFTP if the remote host supports it, else its programs. */
const openFiles = async (connection: SshConnection, signal: AbortSignal): Promise<RemoteFiles> => {
  try {
    return createSftpFiles(await connection.openFiles(signal), connection.answered)
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    return createCommandFiles(connection.run)
  }
}

/** Uses the engine's socket, forwarded, if that is allowed, else its command-line program. */
const openEngine = async (connection: SshConnection, signal: AbortSignal): Promise<ContainerEngine> => {
  try {
    const socket = await connection.dialSocket(dockerSocket, signal)
    socket.destroy()
    return createEngineApi((dialSignal) => connection.dialSocket(dockerSocket, dialSignal))
  } catch (error) {
    if (!isSshFailure(error, 'remote')) throw error
    return createEngineCommands(connection.run, 'docker')
  }
}

/** Collects logs of other machines, over one connection to each. Throws SshFailure. */
export const createSshCollector = ({
  connections,
  addressOf,
  maxExpandedBytes,
  now,
}: SshCollectorOptions): Collector<SshEntry> => {
  const reach = async (way: SshReach): Promise<SshAddress> => {
    if (way.kind === 'address') return way
    const address = await addressOf(way.targetId)
    if (!address) throw serviceError('not_found', `There is no SSH target with the id "${way.targetId}".`)
    return address
  }
  async function* collect(request: CollectRequest<SshEntry>): AsyncGenerator<Chunk | Batch> {
    const { source, signal } = request
    using borrowed = await connections.borrow(await reach(source.reach), signal)
    const { connection } = borrowed
    if (source.gleanType === 'journald') yield* collectJournal(request, { run: connection.run, now })
    else if (source.gleanType === 'docker') {
      yield* collectContainers(request, { engine: await openEngine(connection, signal), now })
    } else {
      await using files = await openFiles(connection, signal)
      yield* collectRemoteFiles(request, { files, maxExpandedBytes, now })
    }
  }
  return { collect }
}
