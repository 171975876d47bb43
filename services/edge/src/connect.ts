import { read, setting } from '@trellis/kit/config'
import { openGrpcChannel, type RpcSecurity } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { services } from '@trellis/protos/edge/routes.ts'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { AccountDeletionServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/account_deletion.ts'
import { AlertsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import { SellerBlocklistServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/blocklist.ts'
import { CategoriesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/categories.ts'
import { CommunityServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/community.ts'
import { CorrectionsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/corrections.ts'
import { FeedbackServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/feedback.ts'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { PhotosServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/photos.ts'
import { PreferencesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/preferences.ts'
import { QueryBuilderServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/query_builder.ts'
import { ReportedSellersServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/reported.ts'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import { BlocklistServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/blocklist.ts'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { MediaMonitorServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/media_monitor.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { SetupServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { branchIngestProxy } from './branches/backend.ts'
import type { Backend } from './transcode/routes.ts'

const where = (variable: string, name: string) =>
  setting(
    variable,
    read.text,
    '',
    `The replicas of ${name}: host:port (each address of the host), or ip:port, ip:port.`,
  )

/** Addresses of the services for an edge in its own process. A service without an address is absent, and so are its routes. */
export const addressConfig = {
  listings: where('LISTINGS_ADDRESS', 'listings'),
  logs: where('LOGS_ADDRESS', 'logs'),
  music: where('MUSIC_ADDRESS', 'music'),
}

export type Addresses = { readonly [Name in keyof typeof addressConfig]: string }

/** The services served at each address. */
const definitions = {
  listings: [
    ListingsServiceDefinition,
    ReportedSellersServiceDefinition,
    PreferencesServiceDefinition,
    SellerBlocklistServiceDefinition,
    CorrectionsServiceDefinition,
    FeedbackServiceDefinition,
    CommunityServiceDefinition,
    AccountDeletionServiceDefinition,
    AlertsServiceDefinition,
    SavedSearchesServiceDefinition,
    CategoriesServiceDefinition,
    PhotosServiceDefinition,
    QueryBuilderServiceDefinition,
  ],
  logs: [
    LogsServiceDefinition,
    SettingsServiceDefinition,
    MediaMonitorServiceDefinition,
    ContextServiceDefinition,
    TemplatesServiceDefinition,
    EntriesServiceDefinition,
    IncidentsServiceDefinition,
    CollectServiceDefinition,
    FormatsServiceDefinition,
    SshTargetsServiceDefinition,
    ScoringServiceDefinition,
    BlocklistServiceDefinition,
    SetupServiceDefinition,
  ],
  music: [MusicServiceDefinition],
}

const checkMilliseconds = 2_000

/** The services behind an edge, and which of them are unavailable. */
export type Connections = Disposable & {
  backends: Backend[]
  /** Reasons why services are unavailable, by name. */
  missing: () => Record<string, string>
}

/** Connects to the services that have an address, and checks the health of each every 2 s. Throws TypeError for an invalid address. */
export const connectServices = (addresses: Addresses, security: RpcSecurity, log: Log): Connections => {
  using opened = new DisposableStack()
  const backends: Backend[] = []
  const missing = new Map<string, string>()
  const checks: (() => Promise<void>)[] = []
  for (const [name, served] of Object.entries(definitions)) {
    const address = addresses[name as keyof Addresses]
    if (address === '') continue
    const channel = opened.use(openGrpcChannel(address, { security }))
    for (const definition of served) {
      const known = services.find((service) => service.name === definition.fullName)
      if (!known) throw new TypeError(`${definition.fullName} has no routes.`)
      backends.push({
        name: known.name,
        mount: known.mount,
        heartbeat: known.heartbeat,
        client: channel.client(definition) as never,
        isRemote: true,
      })
    }
    if (name === 'logs')
      backends.push(opened.use(branchIngestProxy(channel.client(BranchDirectoryServiceDefinition), log, security.tls)))
    const health = channel.client(HealthDefinition, { deadlineMilliseconds: 5_000 })
    missing.set(name, 'not checked yet')
    checks.push(async () => {
      try {
        const { status } = await health.check({ service: '' }, { isSafe: true })
        if (status === 'SERVING') missing.delete(name)
        else missing.set(name, 'it is being restarted')
      } catch {
        missing.set(name, 'it cannot be reached')
      }
    })
  }
  const checkAll = () => void Promise.all(checks.map((check) => check()))
  checkAll()
  const timer = setInterval(checkAll, checkMilliseconds)
  opened.defer(() => clearInterval(timer))
  const stack = opened.move()
  return { backends, missing: () => Object.fromEntries(missing), [Symbol.dispose]: () => stack.dispose() }
}
