import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ControlPlane, findControlPlane, startControlPlane } from '../../operator/test/control-plane.ts'
import { type Api, connectApi } from './api.ts'
import { cases } from './cases.ts'
import { helmMissing, type Manifest, render } from './helm.ts'

const programs = findControlPlane()
const missing = helmMissing ?? (typeof programs === 'string' ? programs : undefined)

const account = 'system:serviceaccount:space:release-trellis-operator'
const second = 'system:serviceaccount:space:second-operator'
const secretCreator = 'system:serviceaccount:space:release-trellis-create-secrets'

/** API groups of third-party operators, which the test server lacks. */
const groupsOfOthers = /^(monitoring\.coreos\.com|cert-manager\.io|gateway\.networking\.k8s\.io)\//
const ofOthers = (manifest: Manifest): boolean => groupsOfOthers.test(manifest.apiVersion)

type Right = readonly [verb: string, group: string, resource: string, namespace?: string, name?: string]

/** Rights that the controllers need; in their own namespace by default. */
const reading = ['get', 'list', 'watch']
const rightsOf = (group: string, resource: string, verbs: readonly string[]): Right[] =>
  verbs.map((verb) => [verb, group, resource])
const kinds = ['searches', 'branches', 'generationjobs', 'warmpools']
const needed: Right[] = [
  ...kinds.flatMap((kind) => rightsOf('trellis.dev', kind, [...reading, 'create', 'patch', 'update', 'delete'])),
  ...kinds.flatMap((kind) => rightsOf('trellis.dev', `${kind}/status`, ['patch', 'update'])),
  ...kinds.flatMap((kind) => rightsOf('trellis.dev', `${kind}/finalizers`, ['update'])),
  ...['pods', 'services', 'persistentvolumeclaims'].flatMap((resource) =>
    rightsOf('', resource, [...reading, 'create', 'patch', 'delete']),
  ),
  ...rightsOf('', 'secrets', ['get', 'create']),
  ...rightsOf('apps', 'statefulsets', [...reading, 'create', 'patch', 'delete']),
  ...rightsOf('batch', 'jobs', [...reading, 'create', 'patch', 'delete']),
  ...rightsOf('events.k8s.io', 'events', ['create', 'patch']),
  ['create', 'coordination.k8s.io', 'leases'],
  ['get', 'coordination.k8s.io', 'leases', 'space', 'trellis-operator'],
  ['update', 'coordination.k8s.io', 'leases', 'space', 'trellis-operator'],
]

/** Rights that the operator's token must not have. */
const denied: Right[] = [
  ['create', '', 'pods/exec'],
  ['create', '', 'pods/attach'],
  ['create', '', 'pods/ephemeralcontainers'],
  ['get', '', 'pods/log'],
  ['patch', '', 'pods/status'],
  ['create', '', 'serviceaccounts/token'],
  ['create', '', 'serviceaccounts'],
  ['get', '', 'configmaps'],
  ['deletecollection', '', 'pods'],
  ...rightsOf('', 'secrets', ['list', 'watch', 'patch', 'update', 'delete', 'deletecollection']),
  ['create', 'apps', 'deployments'],
  ['create', 'apps', 'daemonsets'],
  ['create', 'batch', 'cronjobs'],
  ['create', 'rbac.authorization.k8s.io', 'roles'],
  ['bind', 'rbac.authorization.k8s.io', 'roles'],
  ['escalate', 'rbac.authorization.k8s.io', 'roles'],
  ['impersonate', '', 'users', ''],
  ['patch', 'apiextensions.k8s.io', 'customresourcedefinitions', ''],
  ['get', '', 'nodes', ''],
  ['list', '', 'pods', ''],
  ['list', '', 'secrets', ''],
  ['get', '', 'secrets', 'elsewhere'],
  ['create', '', 'pods', 'elsewhere'],
  ['list', 'trellis.dev', 'searches', 'elsewhere'],
  ['update', 'coordination.k8s.io', 'leases', 'space', 'another'],
  ['delete', 'coordination.k8s.io', 'leases', 'space', 'trellis-operator'],
]

describe.skipIf(missing !== undefined)(
  `the chart on a real API server${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let plane: ControlPlane
    let api: Api
    beforeAll(async () => {
      if (typeof programs === 'string') return
      plane = await startControlPlane(programs, {
        users: [account, second, secretCreator, 'viewer', 'editor'].map((name) => ({ name })),
      })
      api = connectApi(plane)
      const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' }
      for (const name of ['space', 'team-a', 'elsewhere'])
        await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: restricted } })
    })
    afterAll(() => plane?.[Symbol.asyncDispose]())

    const can = async (user: string, [verb, group, resource, namespace = 'space', name]: Right): Promise<boolean> => {
      const [kind, subresource] = resource.split('/')
      const resourceAttributes = { verb, group, resource: kind, subresource, namespace, name }
      const review = await api.create(
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          metadata: { name: '' },
          spec: { resourceAttributes },
        },
        { user },
      )
      return review.status.allowed
    }

    /** The API server reads new roles into its authorizer a moment after it has stored them. */
    const allowed = (user: string, right: Right) => expect.poll(() => can(user, right)).toBe(true)

    test.each(Object.entries(cases))(
      'the manifests pass strict validation and the pod security level "restricted": %s',
      async (_name, values) => {
        const manifests = (await render(values)).filter((manifest) => !ofOthers(manifest))
        for (const manifest of manifests) await api.create(manifest, { dryRun: true })
        for (const { kind, metadata, spec } of manifests) {
          const template = spec?.template
          if (!template?.spec?.containers) continue
          const { priorityClassName: _, volumes = [], ...rest } = template.spec
          const claims = (spec.volumeClaimTemplates ?? []).map((claim: Manifest) => ({
            name: claim.metadata.name,
            emptyDir: {},
          }))
          const pod = { ...rest, volumes: [...volumes, ...claims] }
          const { labels } = template.metadata
          await api.create(
            {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { name: `${kind}-${metadata.name}`.toLowerCase(), namespace: 'space', labels },
              spec: pod,
            },
            { dryRun: true },
          )
        }
      },
    )

    describe('rights of the service accounts', () => {
      const rights = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']
      beforeAll(async () => {
        for (const manifest of await render()) if (rights.includes(manifest.kind)) await api.create(manifest)
      })

      test.each(needed)('the operator may %s %s %s', async (...right) => {
        await allowed(account, right as unknown as Right)
      })

      test.each(denied)('the operator may not %s %s %s %s', async (...right) => {
        expect(await can(account, right as unknown as Right)).toBe(false)
      })

      test('the operator reads nodes and pods cluster-wide only with gpu.clusterRead', async () => {
        expect(await can(account, ['list', '', 'nodes', ''])).toBe(false)
        const readers = (await render({ gpu: { clusterRead: true } })).filter(({ metadata }) =>
          metadata.name.endsWith('-gpu-reader'),
        )
        for (const manifest of readers) await api.create(manifest)
        await allowed(account, ['list', '', 'nodes', ''])
        await allowed(account, ['list', '', 'pods', ''])
        expect(await can(account, ['patch', '', 'nodes', ''])).toBe(false)
        for (const manifest of readers) await api.remove(manifest)
      })

      test('the Job that creates the secrets may read and patch only that Secret', async () => {
        const name = 'release-trellis-secrets'
        await allowed(secretCreator, ['create', '', 'secrets'])
        for (const verb of ['get', 'patch']) {
          await allowed(secretCreator, [verb, '', 'secrets', 'space', name])
          expect(await can(secretCreator, [verb, '', 'secrets', 'space', 'another'])).toBe(false)
        }
        for (const verb of ['list', 'watch', 'delete'])
          expect(await can(secretCreator, [verb, '', 'secrets', 'space', name])).toBe(false)
      })

      test('users with view read the objects and scale of a pool, those with edit change both', async () => {
        // Only a controller aggregates these roles into view and edit; edit includes view.
        const grants = { viewer: ['view'], editor: ['view', 'edit'] }
        for (const [user, roles] of Object.entries(grants))
          for (const role of roles)
            await api.create({
              apiVersion: 'rbac.authorization.k8s.io/v1',
              kind: 'RoleBinding',
              metadata: { name: `${user}-${role}`, namespace: 'space' },
              roleRef: {
                apiGroup: 'rbac.authorization.k8s.io',
                kind: 'ClusterRole',
                name: `space-release-trellis-${role}`,
              },
              subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
            })
        for (const resource of [...kinds, 'warmpools/scale']) {
          for (const user of Object.keys(grants)) await allowed(user, ['get', 'trellis.dev', resource])
          await allowed('editor', ['patch', 'trellis.dev', resource])
          expect(await can('viewer', ['patch', 'trellis.dev', resource])).toBe(false)
        }
        expect(await can('editor', ['patch', 'trellis.dev', 'warmpools/status'])).toBe(false)
      })

      test('the operator has its rights in watched namespaces, but Lease rights only in its own', async () => {
        for (const manifest of await render({ operator: { watchNamespaces: ['team-a'] }, fullnameOverride: 'second' }))
          if (rights.includes(manifest.kind)) await api.create(manifest)
        for (const namespace of ['space', 'team-a'])
          await allowed(second, ['list', 'trellis.dev', 'searches', namespace])
        expect(await can(second, ['list', 'trellis.dev', 'searches', 'elsewhere'])).toBe(false)
        expect(await can(second, ['get', 'coordination.k8s.io', 'leases', 'team-a', 'trellis-operator'])).toBe(false)
        await allowed(second, ['get', 'coordination.k8s.io', 'leases', 'space', 'trellis-operator'])
      })
    })
  },
)
