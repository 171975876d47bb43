import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/find-control-plane.ts'
import { filledIn, min, rows } from './expected-examples.ts'
import { apiVersion } from './kind.ts'
import { kinds } from './render.ts'
import {
  type Answer,
  at,
  committedDefinitions,
  type Document,
  examples,
  type InstalledKinds,
  installKinds,
  objectPath,
  untilTrue,
} from './test-support.ts'

const programs = findControlPlane()
const folder = typeof programs === 'string' ? '' : dirname(programs.kubeApiserver)
const run = (program: string, args: string[], environment: Record<string, string> = {}) =>
  spawnSync(join(folder, program), args, { encoding: 'utf8', env: { ...environment, PATH: '/usr/bin:/bin' } })
const missing = (program: string) => folder === '' || run(program, ['--help']).error !== undefined
const without = (program: string) =>
  missing(program) ? ` (skipped: there is no ${program} beside kube-apiserver)` : ''

/** Writes plain JSON schemas, one file per kind, for tools that validate manifests without a cluster. */
const writeSchemas = async (directory: string) => {
  const closed = (schema: Document, isRoot = false): Document => {
    const properties = (schema.properties ?? {}) as Record<string, Document>
    const inner = Object.entries(properties).map(([name, value]) => [
      name,
      isRoot && name === 'metadata' ? value : closed(value),
    ])
    return {
      ...schema,
      ...(schema.items ? { items: closed(schema.items as Document) } : {}),
      ...(schema.properties ? { properties: Object.fromEntries(inner), additionalProperties: false } : {}),
    }
  }
  for (const definition of Object.values(committedDefinitions())) {
    const schema = at(definition, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema') as Document
    const name = `${at(definition, 'spec', 'names', 'singular')}.json`
    await writeFile(join(directory, name), JSON.stringify(closed(schema, true)))
  }
  return join(directory, '{{.ResourceKind}}.json')
}

describe.skipIf(typeof programs === 'string')(
  `the examples on a real API server${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
  () => {
    let installed: InstalledKinds
    let directory: string
    const accepted: Record<string, Answer> = {}
    beforeAll(async () => {
      if (typeof programs === 'string') return
      installed = await installKinds(programs)
      for (const [file, example] of Object.entries(examples())) {
        const path = `${objectPath(example.kind)}?fieldValidation=Strict`
        accepted[file] = await installed.send('POST', path, { body: example })
      }
      directory = await mkdtemp(join(tmpdir(), 'trellis-examples-'))
      await writeFile(join(directory, 'kubeconfig'), installed.kubeconfig, { mode: 0o600 })
    })
    afterAll(async () => {
      await installed?.[Symbol.asyncDispose]()
      if (directory) await rm(directory, { recursive: true, force: true })
    })

    const kubectl = (...args: string[]) =>
      run('kubectl', args, { KUBECONFIG: join(directory, 'kubeconfig'), HOME: directory })

    test('there is an example of each kind', () => {
      const exampleKinds = Object.values(examples()).map(({ kind }) => String(kind))
      expect(exampleKinds.sort()).toEqual(kinds.map(({ kind }) => kind).sort())
    })

    test.each(Object.entries(examples()))('%s is accepted unchanged, and defaults are added', (file, example) => {
      const { status, body, warnings } = accepted[file] ?? {}
      expect({ status, message: body?.message, warnings }).toEqual({ status: 201, message: undefined, warnings: [] })
      expect(body?.spec).toEqual({ ...filledIn[String(example.kind)], ...(example.spec as Document) })
      expect(body?.status).toEqual({ observedGeneration: -1 })
    })

    test.each(Object.entries(min))(
      'the minimal %s gets the defaults of the contract',
      async (kind, [exampleKinds, becomes]) => {
        const { body } = await installed.send('POST', `${objectPath(kind)}?dryRun=All`, {
          body: { apiVersion, kind, metadata: { name: 'least' }, spec: exampleKinds },
        })
        expect(body.spec).toEqual(becomes)
      },
    )

    test.each(Object.values(examples()).map((example) => [String(example.kind), example] as const))(
      'applying the same %s twice changes nothing the second time',
      async (kind, example) => {
        const path = objectPath(kind, String(at(example, 'metadata', 'name')))
        const apply = (query = '') =>
          installed.send('PATCH', `${path}?fieldManager=gitops&force=true${query}`, {
            body: example,
            type: 'application/apply-patch+yaml',
          })
        const first = await apply()
        const tried = await apply('&dryRun=All')
        const second = await apply()
        expect(first.status).toBe(200)
        expect(tried.body).toEqual(first.body)
        expect(at(second.body, 'metadata', 'resourceVersion')).toBe(at(first.body, 'metadata', 'resourceVersion'))
      },
    )

    test.each(Object.entries(rows))('kubectl get shows the columns of a %s', async (kind, row) => {
      const example = Object.values(examples()).find((candidate) => candidate.kind === kind)
      const path = objectPath(kind, String(at(example, 'metadata', 'name')))
      await installed.send('PATCH', `${path}/status`, {
        body: { status: row.status },
        type: 'application/merge-patch+json',
      })
      const { body } = await installed.send('GET', path, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
      const columns = body.columnDefinitions as Document[]
      const cells = at(body, 'rows', 0, 'cells') as unknown[]
      const shownAt = (priority: number) =>
        Object.fromEntries(
          columns.flatMap((column, index) =>
            column.priority === priority && column.name !== 'Age' ? [[column.name, cells[index]]] : [],
          ),
        )
      expect(shownAt(0)).toEqual(row.shown)
      expect(shownAt(1)).toEqual(row.wide)
      expect(columns.some(({ name, priority }) => name === 'Age' && priority === 0)).toBe(true)
    })

    test.each([
      ['Search', 'status.phase=Running', 'status.phase=Failed'],
      ['Branch', 'spec.slug=graz', 'spec.slug=wien'],
      ['GenerationJob', 'spec.nodeId=b81e33d20f6a97c4e10b', 'spec.nodeId=other'],
      ['WarmPool', 'spec.workload=search', 'spec.workload=generation'],
    ])('a %s can be selected by %s', async (kind, matching, other) => {
      const found = async (selector: string) => {
        const { body } = await installed.send(
          'GET',
          `${objectPath(kind)}?fieldSelector=${encodeURIComponent(selector)}`,
        )
        return (body.items as Document[]).length
      }
      expect([await found(matching), await found(other)]).toEqual([1, 0])
    })

    test.skipIf(missing('kubectl'))(
      `kubectl lists all kinds together and explains their fields${without('kubectl')}`,
      async () => {
        await untilTrue('that kubectl knows the kinds', async () =>
          kinds.every(({ shortName }) => kubectl('explain', `${shortName}.spec`).status === 0),
        )
        const listed = kubectl('get', 'trellis', '-o', 'name')
        expect(listed.stdout.trim().split('\n').sort()).toEqual([
          'branch.trellis.dev/graz',
          'generationjob.trellis.dev/second-verse',
          'search.trellis.dev/thinkpad',
          'warmpool.trellis.dev/searches',
        ])
        const explained = kubectl('explain', 'srch.spec.filters.mustIncludeMode').stdout.replace(/\s+/g, ' ')
        expect(explained).toContain(
          'mustIncludeMode is how mustInclude terms combine: all (every term), any (at least one) or groups',
        )
        expect(explained).toContain('ENUM: all any groups')
      },
    )

    test.skipIf(missing('kubectl'))(
      `kubectl wait accepts a condition once the status is of the current generation${without('kubectl')}`,
      async () => {
        const path = objectPath('Branch', 'waited-for')
        await installed.send('POST', objectPath('Branch'), {
          body: { apiVersion, kind: 'Branch', metadata: { name: 'waited-for' }, spec: { slug: 'waited-for' } },
        })
        const writeStatus = (observedGeneration: number) =>
          installed.send('PATCH', `${path}/status`, {
            body: { status: { ...rows.Branch?.status, observedGeneration } },
            type: 'application/merge-patch+json',
          })
        const wait = (limit: string) =>
          kubectl('wait', '--for=condition=Ready', 'branches.trellis.dev/waited-for', `--timeout=${limit}`)
        await writeStatus(-1)
        expect(wait('1s').stderr).toMatch(/timed out waiting for the condition/)
        await writeStatus(1)
        expect(wait('60s').stdout).toMatch(/condition met/)
      },
    )

    test.skipIf(missing('kubeconform'))(
      `kubeconform finds nothing wrong with the examples${without('kubeconform')}`,
      async () => {
        const location = await writeSchemas(directory)
        const check = (path: string) => run('kubeconform', ['-strict', '-summary', '-schema-location', location, path])
        const folder = join(directory, 'examples')
        await mkdir(folder)
        for (const [file, example] of Object.entries(examples()))
          await writeFile(join(folder, file), JSON.stringify(example))
        expect(check(folder).stdout).toContain(
          '4 resources found in 4 files - Valid: 4, Invalid: 0, Errors: 0, Skipped: 0',
        )
        await writeFile(
          join(directory, 'misspelt.yaml'),
          'apiVersion: trellis.dev/v1alpha1\nkind: Search\nmetadata: {name: a}\nspec: {query: a, page: 1}\n',
        )
        expect(check(join(directory, 'misspelt.yaml')).stdout).toContain('Valid: 0, Invalid: 1')
      },
    )
  },
)
