import { readFileSync } from 'node:fs'
import { freePort } from '@trellis/distributed/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { searches } from '../../operator/src/crds/mod.ts'
import { eventually } from '../../operator/test/eventually.ts'
import { type OperatorServers, serversMissing, startOperatorServers } from '../../operator/test/operator-process.ts'
import { readEvents } from '../support/events.ts'
import { startTrellis } from '../support/trellis.ts'
import { helmMissing, render } from './helm.ts'
import { type Selection, selectionsOf } from './promql.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../charts/trellis/files/${name}`, import.meta.url), 'utf8')

const rules = (parse(read('rules.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }).groups
  .flatMap((group) => group.rules)
  .map(({ alert, expr }): [string, string] => [alert, expr])
const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: { title: string; targets?: { expr: string }[] }[]
  templating: { list: { name: string; type: string; query: string }[] }
}
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
)
const variables = dashboard.templating.list
  .filter(({ type }) => type === 'query')
  .map(({ name, query }): [string, string] => [
    `the variable ${name}`,
    query.replace(/^label_values\((.*), *(\w+)\)$/, 'sum by ($2) ($1)'),
  ])

/** Labels that Prometheus adds for the scraped pod. */
const ofTarget = ['namespace', 'pod']

/** The names of all series that a process can expose, and the labels of the series that it does expose. */
const seriesIn = (text: string): { names: Set<string>; labels: Map<string, Set<string>> } => {
  const names = new Set<string>()
  const labels = new Map<string, Set<string>>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(`${name}${suffix}`)
  for (const [, name = '', list = ''] of text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(name) ?? new Set()
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) known.add(label)
    labels.set(name, known)
  }
  return { names, labels }
}

describe('selectionsOf finds the metrics and labels of an expression', () => {
  test.each<[string, Selection[]]>([
    ['up', [{ metric: 'up', labels: [] }]],
    ['sum(rate(a_total{b="c{d}",e=~"5.."}[5m])) > 0.02', [{ metric: 'a_total', labels: ['b', 'e'] }]],
    [
      'sum by (x, le) (rate(a_bucket[1h])) / sum by (x, le) (a_bucket{y!="1"})',
      [{ metric: 'a_bucket', labels: ['x', 'le', 'y'] }],
    ],
    [
      'histogram_quantile(0.5, sum by (le) (rate(a_bucket{n="$n"}[$__rate_interval])))',
      [{ metric: 'a_bucket', labels: ['le', 'n'] }],
    ],
    [
      'first_total unless on (x) second',
      [
        { metric: 'first_total', labels: ['x'] },
        { metric: 'second', labels: ['x'] },
      ],
    ],
  ])('%s', (expression, selections) => {
    expect(selectionsOf(expression)).toEqual(selections)
  })
})

describe.skipIf(helmMissing !== undefined)(
  `rendered alert rules${helmMissing ? ` (skipped: ${helmMissing})` : ''}`,
  () => {
    /** The expressions of the alerts of a release, each on one line, by alert name. */
    const renderAlerts = async (...args: string[]): Promise<Map<string, string>> => {
      const manifests = await render({ monitoring: { rules: { enabled: true } } }, ...args)
      const found = manifests.find(({ kind }) => kind === 'PrometheusRule')
      const groups = (found?.spec.groups ?? []) as { rules: { alert: string; expr: string }[] }[]
      return new Map(
        groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr.replace(/\s+/g, ' ').trim()])),
      )
    }

    test("alerts select only the series of the release's namespace, so that no other release hides a failure", async () => {
      const [here, there] = [await renderAlerts(), await renderAlerts('--namespace', 'elsewhere')]
      expect([...here.keys()]).toEqual(rules.map(([alert]) => alert))
      for (const [alert, expression] of here) {
        for (const { metric } of selectionsOf(expression)) {
          const series = [...expression.matchAll(new RegExp(`\\b${metric}\\b(\\{[^}]*\\})?`, 'g'))]
          expect(series, metric).not.toEqual([])
          for (const [, matchers = ''] of series) expect(matchers, metric).toContain('namespace="space"')
        }
        expect(there.get(alert)).toBe(expression.replaceAll('"space"', '"elsewhere"'))
      }
    })

    test('TrellisOperatorLeaderless fires without a leader and without any operator series', async () => {
      const leader = 'leader_election_master_status{namespace="space",name="trellis-operator"}'
      expect((await renderAlerts()).get('TrellisOperatorLeaderless')).toBe(
        `sum by (namespace) (${leader}) < 1 or absent(${leader})`,
      )
    })

    test('TrellisReconcileErrors also fires for a single terminal error', async () => {
      const reconciles = 'controller_runtime_reconcile_total{namespace="space",result='
      expect((await renderAlerts()).get('TrellisReconcileErrors')).toBe(
        `sum by (namespace, controller) (rate(${reconciles}"error"}[10m])) > 0.1 ` +
          `or sum by (namespace, controller) (increase(${reconciles}"terminal_error"}[1h])) > 0`,
      )
    })
  },
)

describe.skipIf(serversMissing !== undefined)(
  `alerts and the dashboard${serversMissing ? ` (skipped: ${serversMissing})` : ''}`,
  () => {
    let servers: OperatorServers
    let operatorText: string
    let series: ReturnType<typeof seriesIn>

    /** The metrics of the edge and the services after a search was requested and followed. */
    const readServices = async (): Promise<string> => {
      const port = await freePort()
      await using trellis = await startTrellis({ METRICS_PORT: String(port) }, { form: 'embedded' })
      const started = await fetch(`${trellis.origin}/listings/api/search/async?q=camera`)
      const { session_id: session } = (await started.json()) as { session_id: string }
      await readEvents(`${trellis.origin}/listings/api/updates/${session}`, ({ event }) => event === 'done')
      return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    }

    /** The metrics of a leading operator that has started a run. */
    const readOperator = async (): Promise<string> => {
      servers = await startOperatorServers()
      const namespace = await servers.newNamespace()
      const { metrics } = await servers.startOperator(namespace)
      await servers.client.create(searches, {
        metadata: { name: 'one', namespace },
        spec: { query: 'camera' },
      } as never)
      let text = ''
      await eventually(async () => {
        text = await (await fetch(metrics)).text()
        return /^trellis_pool_claims_total\{.*result="cold"\} 1$/m.test(text)
      }, 'the run has requested a worker')
      return text
    }

    beforeAll(async () => {
      if (serversMissing !== undefined) return
      operatorText = await readOperator()
      series = seriesIn([await readServices(), operatorText].join('\n'))
    })
    afterAll(() => servers?.[Symbol.asyncDispose]())

    test.each([...rules, ...panels, ...variables])('%s uses only existing metrics and labels', (_name, expression) => {
      const selections = selectionsOf(expression)
      expect(selections).not.toEqual([])
      for (const { metric, labels } of selections) {
        expect(series.names, metric).toContain(metric)
        const known = series.labels.get(metric)
        // The labels of a metric without any series yet are unknown.
        if (known) for (const label of labels) expect([...ofTarget, ...known], `${label} of ${metric}`).toContain(label)
      }
    })

    test('error and terminal_error counters start at 0, so that the first error is an increase', () => {
      for (const result of ['error', 'terminal_error'])
        expect(operatorText).toContain(`controller_runtime_reconcile_total{controller="search",result="${result}"} 0`)
    })

    test('the labels of all metrics are known except those that need an idle worker', () => {
      const requested = [...rules, ...panels, ...variables].flatMap(([, expression]) => selectionsOf(expression))
      const unknown = new Set(requested.map(({ metric }) => metric).filter((metric) => !series.labels.has(metric)))
      expect([...unknown]).toEqual(['trellis_pool_claim_duration_seconds_bucket'])
    })
  },
)
