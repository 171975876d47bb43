import { expect } from 'vitest'
import { startApiProxy } from '../support/api-proxy.ts'
import { type HeldMarketplace, startHeldMarketplace } from '../support/held-marketplace.ts'
import { createNamespace, install, type Namespace, one } from '../support/installation.ts'
import { type Ledger, openLedger } from '../support/ledger.ts'
import { type NodeProcess, nodeAddress, processOfPod } from '../support/node-processes.ts'
import type { Shown } from '../support/watch.ts'

export const seconds = 1_000
export const minutes = 60_000

/** An installation for fault tests, with a ledger of its objects. */
export type Testbed = AsyncDisposable & {
  namespace: Namespace
  /** The origin of the edge. */
  origin: string
  ledger: Ledger
  marketplace: HeldMarketplace
}

/** Seconds for which finished Searches of these tests are retained. Short, because tests read them from the ledger. */
const timeToLive = 20

export const openTestbed = async (): Promise<Testbed> => {
  await using opened = new AsyncDisposableStack()
  const marketplace = opened.use(await startHeldMarketplace(await nodeAddress()))
  const namespace = opened.use(await createNamespace('faults'))
  const release = await install(namespace, {
    edge: one,
    listings: one,
    logs: { enabled: false },
    music: { enabled: false },
    operator: { replicas: 2, maximumRuns: 24, runTtlSeconds: timeToLive },
    marketplace: { baseUrl: marketplace.url, requestGapMilliseconds: 0 },
  })
  const proxy = opened.use(await startApiProxy())
  const ledger = opened.use(await openLedger({ origin: proxy.origin, namespace: namespace.name }))
  const origin = await release.origin()
  const stack = opened.move()
  return {
    namespace,
    origin,
    ledger,
    marketplace,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A Search with results in the demo marketplace. */
export const search = (name: string) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'Search',
  metadata: { name },
  spec: { query: 'lens', ttlSecondsAfterFinished: timeToLive },
})

/** A pool of idle workers. */
export const pool = (replicas: number) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'WarmPool',
  metadata: { name: 'waiting' },
  spec: { workload: 'search', replicas },
})

/** Names with a common prefix, numbered from 0. */
export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at}`)

export const statusOf = ({ ledger }: Testbed, name: string): Shown => ledger.searches().get(name)?.status

export const readyReason = ({ conditions }: Shown): string | undefined =>
  conditions?.find(({ type }: Shown) => type === 'Ready')?.reason

/** Waits until the ledger has a matching status of a Search, and returns it. */
export const untilStatus = async (testbed: Testbed, name: string, fits: object): Promise<Shown> => {
  await expect.poll(() => statusOf(testbed, name), { timeout: 90 * seconds, interval: 50 }).toMatchObject(fits)
  return statusOf(testbed, name)
}

/** Waits until all have ended, and returns the phase and the reason of each. */
export const untilEnded = async (testbed: Testbed, names: readonly string[]) => {
  const count = () => names.filter((name) => ['Complete', 'Failed'].includes(statusOf(testbed, name)?.phase)).length
  await expect.poll(count, { timeout: 4 * minutes, interval: 200 }).toBe(names.length)
  return names.map((name) => statusOf(testbed, name)).map((status) => `${status.phase}: ${readyReason(status)}`)
}

/** The holder of the operator's Lease and its pod. */
const findLeader = async ({ namespace }: Testbed): Promise<{ pod: Shown | undefined; holder: string }> => {
  const pods = await namespace.list('pods', '-l', 'app.kubernetes.io/component=operator')
  const [lease] = (await namespace.list('leases')).filter(({ metadata }) => metadata.name === 'trellis-operator')
  const holder: string = lease?.spec.holderIdentity ?? ''
  return { pod: pods.find(({ metadata }) => holder.startsWith(`${metadata.name}_`)), holder }
}

/** Waits for a leader that satisfies `isIt`; returns its pod, its process and its identity in the Lease. */
export const untilLed = async (
  testbed: Testbed,
  isIt: (pod: Shown, holder: string) => boolean = () => true,
): Promise<{ pod: Shown; process: NodeProcess; holder: string }> => {
  let found: Awaited<ReturnType<typeof findLeader>> = { pod: undefined, holder: '' }
  const isLed = async () => {
    found = await findLeader(testbed)
    return found.pod !== undefined && isIt(found.pod, found.holder)
  }
  await expect.poll(isLed, { timeout: 2 * minutes, interval: 250 }).toBe(true)
  const { pod, holder } = found
  return { pod, process: await processOfPod(pod), holder }
}

const resident = 'app.kubernetes.io/component in (edge,listings,operator,nats,postgres)'

/** Waits until all long-running pods are ready, after a test that has stopped some of them. */
export const untilReady = async ({ namespace }: Testbed): Promise<void> => {
  await namespace.kubectl('wait', '--for=condition=Ready', 'pods', '-l', resident, '--timeout=120s')
}

/** Requests an asynchronous search by HTTP and returns its session. */
export const searchByHttp = async ({ origin }: Testbed): Promise<string> => {
  const response = await fetch(`${origin}/listings/api/search/async?q=lens`)
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { session_id: string }).session_id
}

/** Waits for the Search object of a session and returns its name. */
export const untilObject = async ({ ledger }: Testbed, session: string): Promise<string> => {
  const find = () =>
    [...ledger.searches().values()].find(({ metadata }) => metadata.labels?.['trellis.dev/run-id'] === session)
  await expect.poll(find, { timeout: 30 * seconds, interval: 50 }).toBeDefined()
  return find().metadata.name
}
