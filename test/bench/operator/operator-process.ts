import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@trellis/distributed/servers'
import { bundle } from '../../../deploy/images/bundle.ts'
import { render } from '../../chart/helm.ts'
import { startNode } from '../../support/node-process.ts'
import type { ProcessAccount } from './service-account.ts'

/** A snapshot of the operator's metrics. */
export type Reading = {
  /** The sum of all series with a name and these labels; 0 if there are none. */
  sum: (name: string, labels?: Readonly<Record<string, string>>) => number
}

/** A replica of the operator outside of the cluster, with the settings that its pod would have. */
export type OperatorProcess = AsyncDisposable & {
  /** The address for calls of services. */
  address: string
  /** Milliseconds from its start until it reported ready. */
  ready: Promise<number>
  /** When it was started, in `performance.now` time. */
  startedAt: number
  /** Undefined while it does not answer. */
  read: () => Promise<Reading | undefined>
  /** Its resident memory in bytes, from the kernel: reading the metrics costs the process itself some time. 0 after it has ended. */
  residentBytes: () => Promise<number>
  /** Sends the signal; resolves when the process is gone. */
  end: (signal: NodeJS.Signals) => Promise<unknown>
}

const source = fileURLToPath(new URL('../../../operator/src/main.ts', import.meta.url))

/** Bundles the operator into a folder as in its image and returns the program's path. From sources, Node needs 80 MB more to strip types. */
export const bundleOperator = async (folder: string): Promise<string> => {
  await bundle({ operator: source }, folder)
  return join(folder, 'operator.js')
}

const parseReading = (text: string): Reading => {
  const series = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => ({
    name,
    labels,
    value: Number(value),
  }))
  return {
    sum: (name, desired = {}) =>
      series
        .filter(
          (one) =>
            one.name === name &&
            Object.entries(desired).every(([key, value]) => one.labels.includes(`${key}="${value}"`)),
        )
        .reduce((sum, { value }) => sum + value, 0),
  }
}

/** The chart's settings of the operator process that affect its cost. */
export type OperatorSettings = { nodeOptions: readonly string[]; environment: Readonly<Record<string, string>> }

const mebibytes = (quantity: string): number => {
  const [, amount = '', unit = ''] = quantity.match(/^(\d+)(Mi|Gi)$/) ?? []
  return Number(amount) * (unit === 'Gi' ? 1_024 : 1)
}

/** Reads the operator settings from the rendered chart. Outside of a container there is no memory limit, so the heap's percentage becomes MiB. */
export const readOperatorSettings = async (): Promise<OperatorSettings> => {
  const manifests = await render()
  const deployment = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.labels?.['app.kubernetes.io/component'] === 'operator',
  )
  const { command, env, resources } = deployment?.spec.template.spec.containers[0] ?? {}
  const limit = mebibytes(resources.limits.memory)
  const nodeOptions = (command as string[])
    .slice(1, -1)
    .map((option) =>
      option.replace(
        /^--max-old-space-size-percentage=(\d+)$/,
        (_, share: string) => `--max-old-space-size=${Math.floor((limit * Number(share)) / 100)}`,
      ),
    )
  const ofMalloc = (env as { name: string; value: string }[]).filter(({ name }) => name.startsWith('MALLOC_'))
  return { nodeOptions, environment: Object.fromEntries(ofMalloc.map(({ name, value }) => [name, value])) }
}

/** Starts a replica with the account of a pod. OPERATOR_NODE_OPTIONS adds Node options such as `--cpu-prof`. If it exits early, the error contains its output. */
export const startOperator = async (
  program: string,
  settings: OperatorSettings,
  account: Pick<ProcessAccount, 'launcher' | 'environment'>,
  environment: Readonly<Record<string, string>>,
): Promise<OperatorProcess> => {
  const [rpcPort, healthPort, metricsPort] = [await freePort(), await freePort(), await freePort()]
  const address = `127.0.0.1:${rpcPort}`
  const options = (process.env.OPERATOR_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== '')
  const startedAt = performance.now()
  const operator = startNode(program, {
    launcher: account.launcher,
    nodeOptions: [...settings.nodeOptions, ...options],
    environment: {
      PATH: process.env.PATH,
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'warn',
      RPC_ADDRESS: address,
      HEALTH_PORT: String(healthPort),
      METRICS_PORT: String(metricsPort),
      ...settings.environment,
      ...account.environment,
      ...environment,
    },
  })
  const ready = operator.printed(/is ready at/).then(() => performance.now() - startedAt)
  // Callers that do not await it notice the exit elsewhere.
  ready.catch(() => undefined)
  return {
    address,
    startedAt,
    ready,
    read: async () => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined)
      return response?.ok ? parseReading(await response.text()) : undefined
    },
    residentBytes: async () => {
      const status = await readFile(`/proc/${operator.child.pid}/status`, 'utf8').catch(() => '')
      return Number(status.match(/^VmRSS:\s+(\d+) kB$/m)?.[1] ?? 0) * 1_024
    },
    end: operator.end,
    [Symbol.asyncDispose]: operator[Symbol.asyncDispose],
  }
}
