import { read, setting } from '@trellis/kit/config'
import { openGrpcChannel, type RpcSecurity } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { services } from '@trellis/protos/edge/routes.ts'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { BranchIntakeServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { SessionsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/session.ts'
import { branchIngestProxy } from './branches/backend.ts'
import { sessionCheck } from './identity/session-check.ts'
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

/** What is served at the address of a service; the intake of branches is served by their own processes. */
const servedBy = (name: string) =>
  services.filter(
    ({ mount, definition }) => mount === `/${name}` && definition.fullName !== BranchIntakeServiceDefinition.fullName,
  )

const checkMilliseconds = 2_000

/** The services behind an edge, and which of them are unavailable. */
export type Connections = Disposable & {
  backends: Backend[]
  /** Whether a session of the logs service was ended; absent without that service. */
  isSessionEnded?: (id: string) => Promise<boolean>
  /** Reasons why services are unavailable, by name. */
  missing: () => Record<string, string>
}

/** Connects to the services that have an address, and checks the health of each every 2 s. Throws TypeError for an invalid address. */
export const connectServices = (addresses: Addresses, security: RpcSecurity, log: Log): Connections => {
  using opened = new DisposableStack()
  const backends: Backend[] = []
  let isSessionEnded: Connections['isSessionEnded']
  const missing = new Map<string, string>()
  const checks: (() => Promise<void>)[] = []
  for (const [name, address] of Object.entries(addresses)) {
    if (address === '') continue
    const channel = opened.use(openGrpcChannel(address, { security }))
    for (const { name: fullName, mount, heartbeat, definition } of servedBy(name))
      backends.push({ name: fullName, mount, heartbeat, client: channel.client(definition) as never, isRemote: true })
    if (name === 'logs') {
      backends.push(opened.use(branchIngestProxy(channel.client(BranchDirectoryServiceDefinition), log, security.tls)))
      isSessionEnded = sessionCheck(channel.client(SessionsServiceDefinition))
    }
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
  return {
    backends,
    ...(isSessionEnded && { isSessionEnded }),
    missing: () => Object.fromEntries(missing),
    [Symbol.dispose]: () => stack.dispose(),
  }
}
