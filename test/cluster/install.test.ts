import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '../support/events.ts'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { clusterMissing, unlessMissing } from './support/programs.ts'

const minutes = 60_000

describe.skipIf(clusterMissing !== undefined)(unlessMissing('an installation by Helm'), () => {
  let namespace: Namespace
  let release: Release
  const secret = async () => (await namespace.get('secret/trellis-secrets')).data
  const names = async (resource: string, ...args: string[]) =>
    (await namespace.list(resource, ...args)).map(({ metadata }) => metadata.name).sort()
  const restarts = async () =>
    (await namespace.list('pods')).flatMap(({ metadata, status }) =>
      (status.containerStatuses ?? []).map(({ restartCount }: { restartCount: number }) => [
        metadata.name,
        restartCount,
      ]),
    )

  beforeAll(async () => {
    namespace = await createNamespace('install')
    release = await install(namespace, small)
  }, 15 * minutes)
  afterAll(() => namespace?.[Symbol.asyncDispose](), 8 * minutes)

  test('the installation starts without any container restarts', async () => {
    expect((await restarts()).filter(([, count]) => count > 0)).toEqual([])
  })

  test(
    'helm test streams a search of the demo marketplace and passes',
    async () => {
      const { code, output } = await release.test()
      expect({ code, output }).toMatchObject({
        code: 0,
        output: expect.stringMatching(/streamed \d+ events with [1-9]/),
      })
    },
    10 * minutes,
  )

  test(
    'an applied Search runs, and its session can be followed',
    async () => {
      const search = {
        apiVersion: 'trellis.dev/v1alpha1',
        kind: 'Search',
        metadata: { name: 'lens' },
        spec: { query: 'lens' },
      }
      await namespace.apply(search)
      await namespace.kubectl('wait', '--for=condition=Complete', 'search/lens', '--timeout=300s')
      const { status } = await namespace.get('search/lens')
      expect(status).toMatchObject({ phase: 'Complete', listingsFound: expect.any(Number) })
      expect(status.listingsFound).toBeGreaterThan(0)
      const url = `${await release.origin()}/listings/api/updates/${status.sessionId}`
      const events = await readEvents(url, ({ event }) => event === 'done')
      expect(events.map(({ event }) => event)).toContain('listings')
    },
    10 * minutes,
  )

  test(
    'data, secrets and migration Jobs survive an upgrade',
    async () => {
      const origin = await release.origin()
      const form = new FormData()
      form.append('file', new Blob(['2026-03-01T09:00:00Z ERROR disk full of lilies\n']), 'app.log')
      const headers = await release.authorization()
      const search = () => fetch(`${origin}/logs/api/search?q=lilies`, { headers })
      expect((await fetch(`${origin}/logs/api/search?q=lilies`)).status).toBe(401)
      const upload = await fetch(`${origin}/logs/api/ingest/upload?wait=true`, { method: 'POST', headers, body: form })
      expect(await upload.json()).toMatchObject({ status: 'done', counts: { entries: 1 } })
      const before = { secret: await secret(), jobs: await names('jobs') }

      await release.upgrade({ ...small, edge: { replicas: 2 }, logs: { replicas: 1, logLevel: 'debug' } })

      expect(await secret()).toEqual(before.secret)
      expect(await names('jobs')).toEqual(before.jobs)
      // A replaced pod runs for some seconds more.
      const edges = await namespace.list('pods', '-l', 'app.kubernetes.io/component=edge')
      expect(edges.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(2)
      expect(await (await search()).json()).toMatchObject({ total: 1 })
    },
    15 * minutes,
  )

  test(
    'an uninstall leaves the volumes and their Secret, and a new installation uses both',
    async () => {
      await release.uninstall()
      // The pod of the last `helm test` stays, so that its logs can be read.
      const ours = 'app.kubernetes.io/managed-by=Helm,app.kubernetes.io/component!=test'
      await namespace.kubectl('wait', '--for=delete', 'pods', '-l', ours, '--timeout=300s')
      for (const resource of [
        'deployments',
        'statefulsets',
        'services',
        'jobs',
        'roles',
        'rolebindings',
        'networkpolicies',
        'poddisruptionbudgets',
      ])
        expect(await names(resource, '-l', 'app.kubernetes.io/instance=trellis'), resource).toEqual([])
      expect((await names('configmaps')).filter((name) => name !== 'kube-root-ca.crt')).toEqual([])
      expect((await names('serviceaccounts')).filter((name) => name !== 'default')).toEqual([])
      expect(await names('persistentvolumeclaims')).toEqual(['data-trellis-nats-0', 'data-trellis-postgres-0'])
      expect(await names('secrets')).toEqual(['trellis-secrets'])

      release = await install(namespace, small)
      const headers = await release.authorization()
      const found = await fetch(`${await release.origin()}/logs/api/search?q=lilies`, { headers })
      expect(await found.json()).toMatchObject({ total: 1 })
    },
    15 * minutes,
  )
})
