import { join } from 'node:path'
import type { ServerGrants } from './local-servers.ts'
import { environmentFor, type ProcessKind } from './process-environment.ts'
import { reservePort } from './servers/mod.ts'
import type { ProcessSpec } from './supervise.ts'

/** URLs are written out in full, so that a bundler recognizes them. */
const modules = {
  listings: new URL('../../listings/src/main.ts', import.meta.url),
  logs: new URL('../../logs/src/main.ts', import.meta.url),
  music: new URL('../../music/src/main.ts', import.meta.url),
  edge: new URL('../../edge/src/main.ts', import.meta.url),
  workloads: new URL('./workloads/main.ts', import.meta.url),
}

/** The services, all of which store rows. */
export const serviceNames = ['listings', 'logs', 'music'] as const

/** All processes of an installation, in start order; each group waits for the previous one. */
export type Layout = {
  /** Migrate the schemas, before anything else starts. */
  migrations: ProcessSpec[]
  workloads: ProcessSpec
  services: ProcessSpec[]
  edges: (ProcessSpec & { port: number })[]
}

export type LayoutOptions = {
  replicas: number
  /** The edges listen on consecutive ports from this one; 0 lets the system choose. */
  port: number
  dataDirectory: string
  /** The user's settings; each process gets those that it reads. */
  environment: Record<string, string>
  /** Credentials of the local servers: each process gets those of its role; the edge needs none. */
  grants?: ServerGrants
  /** The secret of calls between the processes. */
  secret: string
}

/** Names, ports and addresses for the replicas of one kind of process. */
const reserve = async (kind: string, replicas: number) =>
  Promise.all(
    Array.from({ length: replicas }, async (_, index) => {
      const reserved = [await reservePort(), await reservePort()] as const
      const [{ port }, metrics] = reserved
      const name = replicas === 1 && kind === 'workloads' ? kind : `${kind}-${index + 1}`
      return { name, port, metricsPort: String(metrics.port), address: `127.0.0.1:${port}`, reserved }
    }),
  )

const noGrants: ServerGrants = { nats: () => ({}), database: {}, files: () => ({}) }

const privateDirectories = (
  { SERVICE_PRIVATE_DIRS: configured }: Record<string, string>,
  dataDirectory: string,
): string => [dataDirectory, ...(configured ? [configured] : [])].join(',')

/** Assigns every process a name, an address, a metrics port, and its environment. */
export const layOut = async ({
  replicas,
  port,
  dataDirectory,
  environment,
  grants: { nats, database, files } = noGrants,
  secret,
}: LayoutOptions): Promise<Layout> => {
  const common = (kind: ProcessKind) => ({
    ...environmentFor(kind, environment),
    RPC_SECRET: secret,
    END_WITH_INPUT: '1',
    // The whole installation, because it holds secrets of its servers and of other processes.
    ...(kind === 'logs' && { SERVICE_PRIVATE_DIRS: privateDirectories(environment, dataDirectory) }),
  })
  /** Migrations get no access to files. */
  const ofMigration = (service: (typeof serviceNames)[number]) => ({
    ...common(service),
    ...nats(service),
    ...database,
  })
  const ofService = (service: (typeof serviceNames)[number]) => ({
    ...ofMigration(service),
    ...(service !== 'listings' && files(service)),
  })
  const [runtime] = await reserve('workloads', 1)
  if (!runtime) throw new TypeError('There is one workloads process.')
  const where: Record<string, string> = {}
  const services: ProcessSpec[] = []
  for (const service of serviceNames) {
    const made = await reserve(service, replicas)
    where[`${service.toUpperCase()}_ADDRESS`] = made.map(({ address }) => address).join(',')
    for (const { name, address, metricsPort, reserved } of made) {
      services.push({
        name,
        module: modules[service],
        environment: {
          ...ofService(service),
          RPC_ADDRESS: address,
          METRICS_PORT: metricsPort,
          WORKLOADS_ADDRESS: runtime.address,
          TRELLIS_DATA_DIR: join(dataDirectory, name),
        },
        reserved,
      })
    }
  }
  const edges = await reserve('edge', replicas)
  return {
    migrations: serviceNames.map((service) => ({
      name: `${service} migrate`,
      module: modules[service],
      words: ['migrate'],
      environment: { ...ofMigration(service), TRELLIS_DATA_DIR: join(dataDirectory, service) },
    })),
    workloads: {
      name: runtime.name,
      module: modules.workloads,
      environment: {
        ...common('workloads'),
        ...nats('workloads'),
        ...files('workloads'),
        RPC_ADDRESS: runtime.address,
        METRICS_PORT: runtime.metricsPort,
        TRELLIS_DATA_DIR: join(dataDirectory, runtime.name),
      },
      reserved: runtime.reserved,
    },
    services,
    edges: edges.map(({ name, port: free, metricsPort, reserved }, index) => {
      const own = port === 0 ? free : port + index
      return {
        name,
        module: modules.edge,
        environment: { ...common('edge'), ...where, METRICS_PORT: metricsPort, PORT: String(own) },
        reserved,
        port: own,
      }
    }),
  }
}
