import { join } from 'node:path'
import { reservePort } from './servers/mod.ts'
import type { ProcessSpec } from './supervise.ts'

const moduleOf = (path: string) => new URL(`../../${path}`, import.meta.url)

const serviceNames = ['listings', 'logs', 'music'] as const

/** All processes of an installation, in the order they are started in; each waits for those before. */
export type Layout = {
  /** Bring the schemas up to date, before anything else. */
  migrations: ProcessSpec[]
  workloads: ProcessSpec
  services: ProcessSpec[]
  edges: (ProcessSpec & { port: number })[]
}

export type LayoutOptions = {
  replicas: number
  /** The edges listen on this port and those behind it; 0 lets the system choose. */
  port: number
  dataDirectory: string
  /** What every process is told: the person's settings, and where the servers are. */
  environment: Record<string, string>
  /** What calls between the processes carry. */
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

/** Gives every process a name, an address, a port for its metrics, and what it is told. */
export const layOut = async ({
  replicas,
  port,
  dataDirectory,
  environment,
  secret,
}: LayoutOptions): Promise<Layout> => {
  const common = { ...environment, RPC_SECRET: secret, END_WITH_INPUT: '1' }
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
        module: moduleOf(`${service}/src/main.ts`),
        environment: {
          ...common,
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
      module: moduleOf(`${service}/src/main.ts`),
      words: ['migrate'],
      environment: { ...common, TRELLIS_DATA_DIR: join(dataDirectory, service) },
    })),
    workloads: {
      name: runtime.name,
      module: moduleOf('distributed/src/workloads/main.ts'),
      environment: {
        ...common,
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
        module: moduleOf('edge/src/main.ts'),
        environment: { ...common, ...where, METRICS_PORT: metricsPort, PORT: String(own) },
        reserved,
        port: own,
      }
    }),
  }
}
