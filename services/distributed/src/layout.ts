import { join } from 'node:path'
import { freePort } from './servers/mod.ts'
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

/** Gives every process a name, an address and what it is told. Metrics have a free port each; `--print` shows them. */
export const layOut = async ({
  replicas,
  port,
  dataDirectory,
  environment,
  secret,
}: LayoutOptions): Promise<Layout> => {
  const numbers = Array.from({ length: replicas }, (_, index) => index + 1)
  const address = async () => `127.0.0.1:${await freePort()}`
  const common = { ...environment, RPC_SECRET: secret, METRICS_PORT: '0', END_WITH_INPUT: '1' }
  const workloadsAddress = await address()
  const addresses: Record<string, string[]> = {}
  const services: ProcessSpec[] = []
  for (const service of serviceNames) {
    addresses[service] = await Promise.all(numbers.map(address))
    for (const number of numbers) {
      const name = `${service}-${number}`
      services.push({
        name,
        module: moduleOf(`${service}/src/main.ts`),
        environment: {
          ...common,
          RPC_ADDRESS: addresses[service]?.[number - 1] ?? '',
          WORKLOADS_ADDRESS: workloadsAddress,
          TRELLIS_DATA_DIR: join(dataDirectory, name),
        },
      })
    }
  }
  const where = Object.fromEntries(
    serviceNames.map((service) => [`${service.toUpperCase()}_ADDRESS`, (addresses[service] ?? []).join(',')]),
  )
  return {
    migrations: serviceNames.map((service) => ({
      name: `${service} migrate`,
      module: moduleOf(`${service}/src/main.ts`),
      words: ['migrate'],
      environment: { ...common, TRELLIS_DATA_DIR: join(dataDirectory, service) },
    })),
    workloads: {
      name: 'workloads',
      module: moduleOf('distributed/src/workloads/main.ts'),
      environment: {
        ...common,
        RPC_ADDRESS: workloadsAddress,
        TRELLIS_DATA_DIR: join(dataDirectory, 'workloads'),
      },
    },
    services,
    edges: await Promise.all(
      numbers.map(async (number) => {
        const own = port === 0 ? await freePort() : port + number - 1
        return {
          name: `edge-${number}`,
          module: moduleOf('edge/src/main.ts'),
          environment: { ...common, ...where, PORT: String(own) },
          port: own,
        }
      }),
    ),
  }
}
