import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, startNatsServer } from '@trellis/distributed/servers'
import { openGrpcChannel, type RpcClient, type ServiceDefinition } from '@trellis/kit/rpc'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { SetupServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { startTestPostgres } from './postgres.ts'
import { natsCommand } from './programs.ts'
import { migrateService, startService } from './service-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const module = 'services/logs/src/main.ts'

export type PushedEntry = { text: string; timestamp_iso?: string; severity?: string; sequence?: number }

async function* batchOf(sourceId: string, entries: readonly PushedEntry[]) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ source_id: sourceId, entries })) } }
}

/** A Postgres, a NATS server, and any number of logs service replicas on them as separate processes. */
export const openLogsCluster = async (environment: Record<string, string> = {}) => {
  await using opened = new AsyncDisposableStack()
  const { path: directory } = opened.use(await temporaryDirectory())
  const secret = randomBytes(24).toString('hex')
  const postgres = opened.use(await startTestPostgres())
  const nats = opened.use(await startNatsServer({ command: natsCommand }))
  const shared = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    LOG_LEVEL: 'warn',
    METRICS_PORT: '0',
    NATS_URL: nats.address,
    DATABASE_URL: await postgres.createDatabase(),
    RPC_SECRET: secret,
    SERVICE_SETTINGS_KEY: 'k'.repeat(32),
    // Only the edge checks this key; these calls bypass the edge.
    SERVICE_API_KEY: 'a'.repeat(32),
    ...environment,
  }
  await migrateService(module, { ...shared, TRELLIS_DATA_DIR: join(directory, 'migrate') })
  const stack = opened.move()
  let replicas = 0
  const startReplica = async (own: Record<string, string> = {}) => {
    const address = `127.0.0.1:${await freePort()}`
    const started = stack.use(
      await startService(module, {
        ...shared,
        ...own,
        RPC_ADDRESS: address,
        TRELLIS_DATA_DIR: join(directory, `replica-${++replicas}`),
      }),
    )
    const channel = stack.use(openGrpcChannel(address, { security: { secrets: [secret] } }))
    const clientOf = <Definition extends ServiceDefinition>(definition: Definition): RpcClient<Definition> =>
      channel.client(definition, { deadlineMilliseconds: 120_000 })
    const logs = clientOf(LogsServiceDefinition)
    return {
      logs,
      collect: clientOf(CollectServiceDefinition),
      context: clientOf(ContextServiceDefinition),
      entries: clientOf(EntriesServiceDefinition),
      formats: clientOf(FormatsServiceDefinition),
      incidents: clientOf(IncidentsServiceDefinition),
      scoring: clientOf(ScoringServiceDefinition),
      settings: clientOf(SettingsServiceDefinition),
      setup: clientOf(SetupServiceDefinition),
      sshTargets: clientOf(SshTargetsServiceDefinition),
      push: (sourceId: string, entries: readonly PushedEntry[]) => logs.gleanBatch(batchOf(sourceId, entries)),
      /** All texts of a source, oldest first. */
      texts: async (source: string): Promise<string[]> => {
        const { entries } = await logs.search({ source, order: 'time', limit: 1_000 })
        return entries.map(({ text }) => text).toReversed()
      },
      /** The final event of a task, whichever replica runs it. */
      finished: async (taskId: string) => {
        for await (const { event } of logs.watchTask({ taskId })) if (event?.$case === 'done') return event.value
        throw new Error('The stream of a task ended without "done".')
      },
      end: started.end,
    }
  }
  return { directory, startReplica, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export type LogsReplica = Awaited<ReturnType<Awaited<ReturnType<typeof openLogsCluster>>['startReplica']>>
