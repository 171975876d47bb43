import { readConfig } from '@trellis/kit/config'
import { branchConfig, logsConfig } from '@trellis/logs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { helmMissing, type Manifest, render } from './helm.ts'

type Variable = { name: string; value?: string }
const namesOf = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
const logsPod = async (values: object) => {
  const found = (await render(values)).find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-logs'),
  )
  return found?.spec.template
}
const branchTemplate = async (values: object) => {
  const found = (await render(values)).find(({ metadata }) => metadata.name.endsWith('-workers'))
  return JSON.parse(found?.data['workers.json']).branch
}
/** The environment of the process, without variables from Secrets. */
const environmentOf = (variables: readonly Variable[]) =>
  Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))

const files = {
  sources: 'sources:\n  - {id: app, path: /var/log/app.log}\n',
  formats: { 'door.yaml': "name: door\npattern: '^~(?<message>.*)'\n" },
  patterns: { 'gate.json': '{"overrides": []}' },
}

describe.skipIf(helmMissing !== undefined)(`the log service${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  test("the chart's default environment yields the service's own defaults", async () => {
    const { containers } = (await logsPod({})).spec
    const environment = environmentOf(containers[0].env)
    expect(readConfig(logsConfig, environment)).toEqual(readConfig(logsConfig, {}))
  })

  test('retention, thresholds, models and upload limit are passed on from the values', async () => {
    const { containers } = (
      await logsPod({
        logs: {
          collect: { intervalSeconds: 60, watch: false },
          retention: { days: 0.5, gigabytes: 1_000_000 },
          incidents: { automatic: false, threshold: 1_000_000, windowSeconds: 86_400 },
          models: { existingClaim: 'models', embedding: 'mini' },
          maximumUploadMegabytes: 1_048_576,
        },
      })
    ).spec
    expect(readConfig(logsConfig, environmentOf(containers[0].env))).toMatchObject({
      gleanIntervalSeconds: 60,
      watch: false,
      retentionDays: 0.5,
      retentionGigabytes: 1_000_000,
      autoIncident: false,
      autoIncidentThreshold: 1_000_000,
      autoIncidentWindowSeconds: 86_400,
      embeddingModel: '/models/mini',
      maxUploadMegabytes: 1_048_576,
    })
  })

  test('every replica and branch gets the configured files and restarts when they change', async () => {
    const values = { logs: { files }, operator: { watchNamespaces: ['team-a'] } }
    const manifests = await render(values)
    expect(namesOf(manifests, 'ConfigMap').filter((name) => name.endsWith('-log-files'))).toEqual([
      'space/release-trellis-log-files',
      'team-a/release-trellis-log-files',
    ])
    const map = manifests.find(({ metadata }) => metadata.name.endsWith('-log-files'))
    expect(parse(map?.data['sources.yaml'])).toEqual(parse(files.sources))
    const [pod, branch] = [await logsPod(values), await branchTemplate(values)]
    const config = readConfig(logsConfig, environmentOf(pod.spec.containers[0].env))
    expect(config).toMatchObject({
      sourcesFile: '/etc/trellis/logs/sources.yaml',
      formatsDirectory: '/etc/trellis/logs/formats',
      patternsDirectory: '/etc/trellis/logs/patterns',
    })
    const { formatsDirectory, patternsDirectory } = config
    expect(readConfig(branchConfig, environmentOf(branch.env))).toMatchObject({ formatsDirectory, patternsDirectory })
    const paths = (volumes: Manifest[]) =>
      volumes
        .find(({ name }) => name === 'log-files')
        ?.configMap.items.map(({ key, path }: Record<string, string>) => [key, path])
    const shared = [
      ['formats.door.yaml', 'formats/door.yaml'],
      ['patterns.gate.json', 'patterns/gate.json'],
    ]
    expect(paths(pod.spec.volumes)).toEqual([...shared, ['sources.yaml', 'sources.yaml']])
    expect(paths(branch.extraVolumes)).toEqual(shared)
    const other = { logs: { files: { ...files, patterns: { 'gate.json': '{"overrides": [{}]}' } } } }
    const marks = [pod.metadata.annotations, (await logsPod(other)).metadata.annotations]
    expect(new Set(marks.map((mark) => mark['checksum/log-files'])).size).toBe(2)
    expect((await branchTemplate(other)).podAnnotations).not.toEqual(branch.podAnnotations)
  })

  test('no files volume exists without configured files', async () => {
    const { volumes } = (await logsPod({})).spec
    expect(volumes.map(({ name }: { name: string }) => name)).toEqual(['tmp', 'data'])
    expect(namesOf(await render({ logs: { enabled: false, files } }), 'ConfigMap').join()).not.toContain('log-files')
    expect(await branchTemplate({ logs: { enabled: false, files } })).not.toHaveProperty('extraVolumes')
  })
})
