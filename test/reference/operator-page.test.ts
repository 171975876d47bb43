import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { branchReasons } from '../../operator/src/branch/mod.ts'
import { operatorConfig } from '../../operator/src/config.ts'
import { type GenerationJob, runReasons } from '../../operator/src/crds/mod.ts'
import { renderReference } from '../../operator/src/crds/reference.ts'
import { fallbackCondition } from '../../operator/src/generation-job/gpu-fallback.ts'
import { runStatus } from '../../operator/src/runs/mod.ts'
import { poolReasons } from '../../operator/src/warm-pool/pool-status.ts'
import { helmMissing, render, template } from '../chart/helm.ts'
import { type OperatorPage, readOperatorPage } from './operator-page.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sorted = (words: Iterable<string>): string[] => [...new Set(words)].sort()

/** The operator's sources without its tests. */
const readSources = async (): Promise<string> => {
  const parts: string[] = []
  for await (const file of glob('operator/src/**/*.ts', { cwd: root }))
    if (!/\.test\.ts$|test-support|bad-objects|expected-examples/.test(file))
      parts.push(await readFile(`${root}${file}`, 'utf8'))
  return parts.join('\n')
}

let page: OperatorPage
let sources: string
beforeAll(async () => {
  page = await readOperatorPage()
  sources = await readSources()
})

const wordsIn = (pattern: RegExp): string[] => sorted([...sources.matchAll(pattern)].map(([, word = '']) => word))

describe('the operator page', () => {
  test.each([
    ['Reasons of runs', runReasons],
    ['Reasons of Branches', branchReasons],
    ['Reasons of WarmPools', poolReasons],
  ])('"%s" lists exactly the reasons of the registry', (heading, reasons) => {
    expect(page.namesUnder(heading).sort()).toEqual([...reasons].sort())
  })

  test('every reason in the code is on the page', () => {
    const inCode = wordsIn(/(?:reason: |pending\(|fail\(|verdict\('\w+', )'([A-Z]\w+)'/g).filter(
      // Reasons of refusals by the API server.
      (word) => !word.startsWith('FieldValue'),
    )
    expect(inCode).toContain('KeyReplaced')
    expect(inCode.filter((word) => !page.text.includes(`\`${word}\``))).toEqual([])
  })

  test('the page lists exactly the conditions of statuses', () => {
    const job = { metadata: { name: 'a', generation: 1 }, spec: {}, status: {} } as GenerationJob
    const ends = (['Complete', 'Failed'] as const).flatMap((phase) =>
      runStatus(job, { phase, reason: 'Finished', message: '' }, 0),
    )
    const ofRuns = ends.flatMap(({ conditions }) => (conditions ?? []).map(({ type }) => type))
    const types = [...ofRuns, fallbackCondition(job, 'No GPU.').type]
    expect(page.namesUnder('Conditions').sort()).toEqual(sorted(types))
  })

  test('the page lists exactly the labels, annotations and finalizers that the operator uses', () => {
    const keys = wordsIn(/'((?:trellis\.dev|kueue\.x-k8s\.io)\/[a-z-]+)'/g)
    expect(page.namesUnder('Labels and annotations').sort()).toEqual(keys)
  })

  test('the page lists exactly the settings of the operator', () => {
    expect(page.namesUnder('Settings').sort()).toEqual(
      Object.values(operatorConfig)
        .map(({ variable }) => variable)
        .sort(),
    )
  })

  test('the page lists exactly the alerts of the chart', async () => {
    const { groups } = parse(await readFile(`${root}charts/trellis/files/rules.yaml`, 'utf8'))
    const alerts = groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert))
    expect(page.namesUnder('Alerts')).toEqual(alerts)
  })

  test('all links on the page have existing targets', async () => {
    const links = [...page.text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target)
    expect(links.length).toBeGreaterThan(3)
    for (const target of links)
      await expect(readFile(new URL(target, new URL('../../docs/operator.md', import.meta.url)))).resolves.toBeTruthy()
  })
})

test('the kinds page is up to date', async () => {
  expect(await readFile(`${root}docs/reference/kinds.md`, 'utf8')).toBe(renderReference())
})

describe.skipIf(helmMissing !== undefined)(
  `the operator page and the chart${helmMissing ? ` (skipped: ${helmMissing})` : ''}`,
  () => {
    test('the page lists exactly the rights granted by the chart', async () => {
      const roles = (await render({})).filter(
        ({ kind, metadata }) => kind === 'Role' && /-operator(-election)?$/.test(metadata.name),
      )
      expect(roles).toHaveLength(2)
      type Granted = { apiGroups: string[]; resources: string[]; verbs: string[] }
      const granted = roles.flatMap(({ rules }) =>
        rules.flatMap(({ apiGroups, resources, verbs }: Granted) =>
          apiGroups.flatMap((group) =>
            resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group || 'core'} ${resource}`)),
          ),
        ),
      )
      const documented = page
        .rowsUnder('Rights of the operator')
        .flatMap(([group = '', resources = '', verbs = '']) =>
          resources
            .split(', ')
            .flatMap((resource) => verbs.split(', ').map((verb) => `${verb} ${group.replaceAll('`', '')} ${resource}`)),
        )
      expect(sorted(documented)).toEqual(sorted(granted))
    })

    test('the example values on the page are valid', async () => {
      const values = page.documents.filter(({ kind }) => kind === undefined)
      expect(values).toHaveLength(2)
      for (const example of values) expect(await template(example)).toMatchObject({ code: 0, error: '' })
    })

    test('every chart value on the page exists', async () => {
      const chart = parse(await readFile(`${root}charts/trellis/values.yaml`, 'utf8'))
      const named = sorted(
        [
          ...page.text.matchAll(
            /`((?:crds|operator|workers|gpu|networkPolicy|monitoring|ingress|marketplace|image)(?:\.\w+)+)(?:=[^`]*)?`/g,
          ),
        ].map(([, path = '']) => path),
      )
      expect(named.length).toBeGreaterThan(15)
      const isThere = (path: string) =>
        path.split('.').reduce((found, name) => found?.[name], chart as Record<string, never> | undefined) !== undefined
      expect(named.filter((path) => !isThere(path))).toEqual([])
    })
  },
)
