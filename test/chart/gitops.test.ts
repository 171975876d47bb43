import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LuaFactory } from 'wasmoon'
import { parse } from 'yaml'
import { kinds } from '../../operator/src/crds/render.ts'
import { type InstalledKinds, installKinds, objectPath } from '../../operator/src/crds/test-support.ts'
import { mergeConditions, type Progress, progressConditions } from '../../operator/src/runtime/mod.ts'
import { findControlPlane } from '../../operator/test/find-control-plane.ts'
import { documents, helmMissing, type Manifest, render } from './helm.ts'

const read = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

type Health = { status: string; message: string }
const scripts = parse(read('argocd/health.yaml')).data as Record<string, string>

/** Runs a health script like Argo CD, with the object as the global `obj`. */
const healthOf = async (kind: string, object: object): Promise<Health> => {
  const lua = await new LuaFactory().createEngine({ enableProxy: false })
  try {
    lua.global.set('obj', object)
    return await lua.doString(scripts[`resource.customizations.health.trellis.dev_${kind}`] ?? 'error("no script")')
  } finally {
    lua.global.close()
  }
}

const statusOf = (progress: Progress, reason: string, observedGeneration = 2) => ({
  observedGeneration,
  conditions: mergeConditions(
    [],
    progressConditions(progress, { reason, message: `It is ${reason}.`, observedGeneration }),
    0,
  ),
})

/** Every state of our objects, with the health that Argo CD should report. */
const states: [string, object, Health['status']][] = [
  ['newly created', { status: { observedGeneration: -1 } }, 'Progressing'],
  ['without a status', {}, 'Progressing'],
  ['starting', { status: statusOf('working', 'Starting') }, 'Progressing'],
  ['running', { status: statusOf('working', 'Running') }, 'Progressing'],
  ['unschedulable', { status: statusOf('working', 'Unschedulable') }, 'Progressing'],
  ['suspended', { status: statusOf('working', 'Suspended') }, 'Suspended'],
  ['complete', { status: statusOf('ready', 'Finished') }, 'Healthy'],
  ['inactive', { status: statusOf('ready', 'Inactive') }, 'Healthy'],
  ['out of memory', { status: statusOf('stalled', 'OOMKilled') }, 'Degraded'],
  ['past its deadline', { status: statusOf('stalled', 'DeadlineExceeded') }, 'Degraded'],
  ['ready for an older generation', { status: statusOf('ready', 'Finished', 1) }, 'Progressing'],
  ['failed for an older generation', { status: statusOf('stalled', 'WorkerLost', 1) }, 'Progressing'],
]

describe.each(kinds.map(({ kind }) => kind))('Argo CD health of a %s', (kind) => {
  test.each(states)('an object %s has its health', async (_state, object, status) => {
    const metadata = { name: 'one', generation: 2 }
    expect(await healthOf(kind, { metadata, ...object })).toMatchObject({
      status,
      message: expect.stringMatching(/\.$/),
    })
  })

  test('an object being deleted is Progressing even if it was ready', async () => {
    const metadata = { name: 'one', generation: 2, deletionTimestamp: '2026-03-01T09:00:00Z' }
    expect(await healthOf(kind, { metadata, status: statusOf('ready', 'Finished') })).toMatchObject({
      status: 'Progressing',
    })
  })
})

describe.skipIf(helmMissing !== undefined)(`GitOps${helmMissing ? ` (skipped: ${helmMissing})` : ''}`, () => {
  test('the Argo CD and Flux examples have valid values and existing paths', async () => {
    const application = parse(read('argocd/application.yaml'))
    const [release, objects] = documents(read('flux/release.yaml')) as [Manifest, Manifest]
    const [chart, folder] = application.spec.sources
    expect(chart.path).toBe('charts/trellis')
    expect(`./${chart.path}`).toBe(release.spec.chart.spec.chart)
    expect(`./${folder.path}`).toBe(objects.spec.path)
    for (const values of [chart.helm.valuesObject, release.spec.values])
      expect((await render(values)).map(({ kind }) => kind)).toContain('Ingress')
  })
})

const programs = findControlPlane()
const missing = typeof programs === 'string' ? programs : undefined
describe.skipIf(missing !== undefined)(`the objects of deploy/gitops${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let installed: InstalledKinds
  beforeAll(async () => {
    if (typeof programs !== 'string') installed = await installKinds(programs)
  })
  afterAll(() => installed?.[Symbol.asyncDispose]())

  test('the objects pass strict validation by a real API server', async () => {
    for (const file of parse(read('gitops/kustomization.yaml')).resources as string[])
      for (const object of documents(read(`gitops/${file}`))) {
        const path = `${objectPath(object.kind)}?fieldValidation=Strict&dryRun=All`
        const { status, body } = await installed.send('POST', path, { body: object as never })
        expect({ status, body }).toMatchObject({ status: 201 })
      }
  })
})
