import { expect } from 'vitest'
import { startApiProxy } from '../support/api-proxy.ts'
import { type HeldMarketplace, startHeldMarketplace } from '../support/held-marketplace.ts'
import { createNamespace, install, type Namespace, one } from '../support/installation.ts'
import { type Ledger, openLedger } from '../support/ledger.ts'
import { type NodeProcess, nodeAddress, processOfPod } from '../support/node-processes.ts'
import type { Shown } from '../support/watch.ts'

export const seconds = 1_000
export const minutes = 60_000

/** One installation on which things go wrong, with the book that is kept of it. */
export type Testbed = AsyncDisposable & {
  namespace: Namespace
  /** Where the edge is reached. */
  origin: string
  ledger: Ledger
  marketplace: HeldMarketplace
}

/** How long Searches of these tests are kept once they have ended, in seconds: tests read of them in the ledger. */
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
    operator: { replicas: 2, maxRuns: 24, runTtlSeconds: timeToLive },
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

/** A Search that finds something in the demo marketplace. */
export const search = (name: string) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'Search',
  metadata: { name },
  spec: { query: 'lens', ttlSecondsAfterFinished: timeToLive },
})

/** A pool that keeps so many workers waiting. */
export const pool = (replicas: number) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'WarmPool',
  metadata: { name: 'waiting' },
  spec: { workload: 'search', replicas },
})

/** Names that begin the same, from 0 on. */
export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at}`)

export const statusOf = ({ ledger }: Testbed, name: string): Shown => ledger.searches().get(name)?.status

export const readyReason = ({ conditions }: Shown): string | undefined =>
  conditions?.find(({ type }: Shown) => type === 'Ready')?.reason

/** Waits until what the ledger says of a Search fits, and gives its status. */
export const untilStatus = async (testbed: Testbed, name: string, fits: object): Promise<Shown> => {
  await expect.poll(() => statusOf(testbed, name), { timeout: 90 * seconds, interval: 50 }).toMatchObject(fits)
  return statusOf(testbed, name)
}

/** Waits until all have ended, and gives the phase and the reason of each. */
export const untilEnded = async (testbed: Testbed, names: readonly string[]) => {
  const count = () => names.filter((name) => ['Complete', 'Failed'].includes(statusOf(testbed, name)?.phase)).length
  await expect.poll(count, { timeout: 4 * minutes, interval: 200 }).toBe(names.length)
  return names.map((name) => statusOf(testbed, name)).map((status) => `${status.phase}: ${readyReason(status)}`)
}

/** Who holds the operator's Lease, and the pod that it is. */
const findLeader = async ({ namespace }: Testbed): Promise<{ pod: Shown | undefined; holder: string }> => {
  const pods = await namespace.list('pods', '-l', 'app.kubernetes.io/component=operator')
  const [lease] = (await namespace.list('leases')).filter(({ metadata }) => metadata.name === 'trellis-operator')
  const holder: string = lease?.spec.holderIdentity ?? ''
  return { pod: pods.find(({ metadata }) => holder.startsWith(`${metadata.name}_`)), holder }
}

/** The replica that leads, as a pod, as a process, and as the Lease names it; waits until there is one. */
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

/** Waits until everything that is always there is ready, as after a test that has ended some of it. */
export const untilReady = async ({ namespace }: Testbed): Promise<void> => {
  await namespace.kubectl('wait', '--for=condition=Ready', 'pods', '-l', resident, '--timeout=120s')
}

/** Asks for a search by HTTP, which is answered before it is done; gives its session. */
export const searchByHttp = async ({ origin }: Testbed): Promise<string> => {
  const response = await fetch(`${origin}/listings/api/search/async?q=lens`)
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { session_id: string }).session_id
}

/** The name of the Search that is the object of a session; waits until there is one. */
export const untilObject = async ({ ledger }: Testbed, session: string): Promise<string> => {
  const find = () =>
    [...ledger.searches().values()].find(({ metadata }) => metadata.labels?.['trellis.dev/run-id'] === session)
  await expect.poll(find, { timeout: 30 * seconds, interval: 50 }).toBeDefined()
  return find().metadata.name
}
