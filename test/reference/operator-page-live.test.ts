import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../operator/src/crds/render.ts'
import { type OperatorServers, serversMissing, startOperatorServers } from '../../operator/test/operator-process.ts'
import { type OperatorPage, readOperatorPage } from './operator-page.ts'

/** API paths of the built-in Kubernetes kinds on the page. */
const foreign: Record<string, string> = {
  HorizontalPodAutoscaler: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
  ResourceQuota: '/api/v1/namespaces/default/resourcequotas',
}

const pathOf = (kind: string, apiVersion: string): string => {
  const own = kinds.find((one) => one.kind === kind)
  const path = own ? `/apis/${apiVersion}/namespaces/default/${own.plural}` : foreign[kind]
  if (!path) throw new Error(`The API path of ${kind} is unknown.`)
  return path
}

/** The metrics of an exposition by name, each with the labels of its series, if there are any. */
const read = (exposition: string): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  for (const [, name = ''] of exposition.matchAll(/^# TYPE (\S+) /gm)) found.set(name, new Set())
  for (const [, series = '', labels = ''] of exposition.matchAll(/^(\w+)\{([^}]*)\}/gm)) {
    const name = found.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '')
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') found.get(name)?.add(label)
  }
  return found
}

const ofNode = (name: string): boolean => name.startsWith('process_') || name.startsWith('nodejs_')

describe.skipIf(serversMissing !== undefined)(
  `the operator page on a real kube-apiserver${serversMissing ? ` (skipped: ${serversMissing})` : ''}`,
  () => {
    let page: OperatorPage
    let servers: OperatorServers

    beforeAll(async () => {
      page = await readOperatorPage()
      if (serversMissing === undefined) servers = await startOperatorServers()
    })
    afterAll(() => servers?.[Symbol.asyncDispose]())

    test('the example objects on the page are valid and include each kind', async () => {
      const objects = page.documents.filter(({ kind }) => kind !== undefined)
      expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds.map(({ kind }) => kind)))
      for (const object of objects) {
        const path = `${pathOf(object.kind, object.apiVersion)}?fieldValidation=Strict`
        const { status, body, warnings } = await servers.installed.send('POST', path, { body: object })
        expect({ kind: object.kind, status, message: body.message, warnings }).toMatchObject({
          status: 201,
          message: undefined,
          warnings: [],
        })
      }
    })

    test('the page lists exactly the metrics of a process, with all their labels', async () => {
      const operator = await servers.startOperator(await servers.newNamespace())
      const response = await fetch(operator.metrics)
      expect(response.status).toBe(200)
      const exposed = read(await response.text())
      const listed = new Map(
        page
          .rowsUnder('Metrics')
          .map(([name = '', labels = '']): [string, string[]] => [name.replaceAll('`', ''), labels.split(', ')]),
      )
      expect([...listed.keys()].sort()).toEqual([...exposed.keys()].filter((name) => !ofNode(name)).sort())
      for (const [name, labels] of listed)
        expect({ name, missing: [...(exposed.get(name) ?? [])].filter((label) => !labels.includes(label)) }).toEqual({
          name,
          missing: [],
        })
      expect(await operator.end()).toBe(0)
    })
  },
)
