import { connectNatsBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { publishConclusion } from '@trellis/kit/workloads'
import { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { encodeMessage } from '../../../services/listings/src/worker/messages.ts'
import { buildImages } from '../../cluster/support/images.ts'
import { createNamespace, install, type Namespace } from '../../cluster/support/installation.ts'
import { connectApi } from './api.ts'
import { tapBus } from './bus-tap.ts'
import { type ClaimTestbed, measureBurst, measureCold, measureWarm } from './claims.ts'
import { planRequests } from './played-service.ts'

/** One replica without a CPU request, so that only memory limits the number of workers on the node. */
const one = { replicas: 1, resources: { requests: { cpu: '0', memory: '32Mi' } } }

/** The chart values of the installation. */
const values = {
  edge: one,
  listings: one,
  operator: one,
  demoMarketplace: one,
  nats: { bundled: { resources: one.resources } },
  database: { bundled: { resources: one.resources } },
  migrations: { resources: one.resources },
  secrets: { resources: one.resources },
  logs: { enabled: false },
  music: { enabled: false },
  workers: { search: { resources: one.resources } },
}

/** The input of a run without any lookups for its worker. */
const emptyInput = encodeMessage({
  kind: 'enrich',
  marketplace: { adapter: 'scraper', baseUrl: 'http://nothing.invalid', isDemo: true },
  tasks: [],
})

/** Addresses and credentials of an installation, reached from this machine, which is its node. */
const addressesOf = async ({ kubectl }: Namespace) => {
  const read = async (...what: string[]) => JSON.parse(await kubectl('get', ...what, '-o', 'json'))
  const nats = await read('pod/trellis-nats-0')
  const operators = await read('pods', '-l', 'app.kubernetes.io/component=operator')
  const { data } = await read('secret/trellis-secrets')
  const secret = (name: string) => Buffer.from(data[name], 'base64').toString()
  return {
    nats: (user: 'operator' | 'search') => ({
      servers: `${nats.status.podIP}:4222`,
      user,
      pass: secret(`nats-${user}`),
    }),
    operator: `${operators.items[0].status.podIP}:9000`,
    security: { secrets: [secret('rpc-secret')] },
  }
}

type Addresses = Awaited<ReturnType<typeof addressesOf>>

/** Loads that two cores can serve with complete searches. */
const light = async (testbed: ClaimTestbed): Promise<string[]> => [
  ...(await measureCold(testbed, 10)),
  ...(await measureWarm(testbed, { perSecond: 1, count: 25, rounds: 1, pool: 30 })),
  ...(await measureWarm(testbed, { perSecond: 2, count: 50, rounds: 1, pool: 60 })),
]

const heavy = async (testbed: ClaimTestbed): Promise<string[]> => [
  ...(await measureWarm(testbed, { perSecond: 10, count: 80, rounds: 3, pool: 80 })),
  ...(await measureBurst(testbed, { count: 100, pool: 20 })),
]

const setting = [
  'Times from sending a Search to the API server until its worker reports that it has started. The chart with its defaults, one',
  'replica of everything, real pods; arrivals in an open loop, times of one monotonic clock.',
]

/** Installs the chart in a new namespace and measures there. */
const withInstallation = async (
  values: object,
  measure: (testbed: Omit<ClaimTestbed, 'tap'>, addresses: Addresses) => Promise<string[]>,
): Promise<string[]> => {
  const images = await buildImages()
  await using namespace = await createNamespace('bench', { run: 'bench' })
  await install(namespace, values, { images })
  await using client = connectApi()
  return [...setting, ...(await measure({ client, namespace: namespace.name }, await addressesOf(namespace)))]
}

/** Measures complete searches of the demo marketplace, planned and concluded by the listings service. */
export const benchSearches = (): Promise<string[]> =>
  withInstallation(values, async (testbed, { nats }) => {
    await using tap = await tapBus(nats('search'))
    return ['Complete searches of the demo marketplace:', ...(await light({ ...testbed, tap }))]
  })

const measureAll = async (testbed: ClaimTestbed): Promise<string[]> => [
  ...(await light(testbed)),
  ...(await heavy(testbed)),
]

/** Replaces the listings service by an idle music service, because the chart requires at least one service. */
const withoutListings = { ...values, listings: { enabled: false }, music: { ...one, enabled: true } }

/** Measures only the operator and the workers: the bench plays the service. */
export const benchClaims = (): Promise<string[]> =>
  withInstallation(withoutListings, async (testbed, { nats, operator, security }) => {
    const { servers, user, pass: password } = nats('operator')
    await using bus = await connectNatsBus({
      servers: [servers],
      credentials: { user, password },
      name: 'bench',
      log: silentLog,
    })
    const conclusion = RunConcluded.fromPartial({ listingsFound: 0 })
    await using tap = await tapBus(nats('search'), {
      onWorked: (runId) => void publishConclusion(bus, runId, conclusion),
    })
    const stop = new AbortController()
    const planning = planRequests({ bus, operator: () => operator, security, input: emptyInput }, stop.signal)
    const ended = planning.then((): never => {
      throw new Error('The played service stopped answering plan requests.')
    })
    ended.catch(() => undefined)
    try {
      const measured = await Promise.race([measureAll({ ...testbed, tap }), ended])
      return ['Simulated service: it plans at once, and its workers have nothing to look up:', ...measured]
    } finally {
      stop.abort()
      await planning
    }
  })
