import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/find-control-plane.ts'
import { kinds, renderDefinitions } from './render.ts'
import {
  at,
  committedDefinitions,
  type Document,
  definitionsFolder,
  definitionsPath,
  type InstalledKinds,
  installKinds,
  untilTrue,
} from './test-support.ts'

test('the committed definitions match the source', () => {
  const rendered = renderDefinitions()
  const committed = Object.keys(committedDefinitions()).map((file) => [
    file,
    readFileSync(new URL(file, definitionsFolder), 'utf8'),
  ])
  expect(Object.fromEntries(committed)).toEqual(rendered)
})

const programs = findControlPlane()

describe.skipIf(typeof programs === 'string')(
  `the definitions on a real API server${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
  () => {
    let installed: InstalledKinds
    beforeAll(async () => {
      if (typeof programs !== 'string') installed = await installKinds(programs)
    })
    afterAll(() => installed?.[Symbol.asyncDispose]())

    test('all definitions are accepted without a warning', () => {
      const warnings = Object.values(installed.answers).flatMap((answer) => answer.warnings)
      expect(warnings).toEqual([])
      expect(Object.keys(installed.answers)).toHaveLength(kinds.length)
    })

    test.each(kinds.map(({ plural }) => plural))(
      '%s are established, with accepted names and a structural schema',
      async (plural) => {
        const { body } = await installed.send('GET', `${definitionsPath}/${plural}.trellis.dev`)
        const conditions = (at(body, 'status', 'conditions') as Document[]).map(
          ({ type, status }) => `${type} ${status}`,
        )
        expect(conditions).toEqual(expect.arrayContaining(['Established True', 'NamesAccepted True']))
        expect(conditions.join()).not.toMatch(/NonStructuralSchema|NonConforming/)
        expect(at(body, 'status', 'acceptedNames')).toEqual(at(body, 'spec', 'names'))
      },
    )

    test('the kinds have the names of the contract', async () => {
      const { body } = await installed.send('GET', '/apis/trellis.dev/v1alpha1')
      const resources = (body.resources as Document[]).filter(({ name }) => !String(name).includes('/'))
      expect(
        Object.fromEntries(
          resources.map(({ kind, name, shortNames, categories, namespaced }) => [
            kind,
            { name, shortNames, categories, namespaced },
          ]),
        ),
      ).toEqual({
        Search: { name: 'searches', shortNames: ['srch'], categories: ['trellis'], namespaced: true },
        Branch: { name: 'branches', shortNames: ['br'], categories: ['trellis'], namespaced: true },
        GenerationJob: { name: 'generationjobs', shortNames: ['gen'], categories: ['trellis'], namespaced: true },
        WarmPool: { name: 'warmpools', shortNames: ['pool'], categories: ['trellis'], namespaced: true },
      })
      const subresources = (body.resources as Document[])
        .map(({ name }) => name)
        .filter((name) => String(name).includes('/'))
      expect(subresources.sort()).toEqual([
        'branches/status',
        'generationjobs/status',
        'searches/status',
        'warmpools/scale',
        'warmpools/status',
      ])
    })

    test('every field has a description that starts with its name', async () => {
      let schemas: Record<string, Document> = {}
      const schemaOf = (kind: string) => schemas[`dev.trellis.v1alpha1.${kind}`]
      await untilTrue('that the document on the API has every kind', async () => {
        const { body } = await installed.send('GET', '/openapi/v3/apis/trellis.dev/v1alpha1')
        schemas = (at(body, 'components', 'schemas') ?? {}) as Record<string, Document>
        return kinds.every(({ kind }) => schemaOf(kind) !== undefined)
      })
      const explained: string[] = []
      const walk = (schema: Document, path: string, name?: string) => {
        const description = String(schema.description ?? '')
        // The server describes the fields that all kinds share.
        const isOurs = path !== '' && !/^\w+\.(apiVersion|kind|metadata)$/.test(path)
        if (isOurs && name !== undefined) {
          expect(description, path).toMatch(new RegExp(`^${name} .{8,}[.]$|^${name} .{8,}"[.]$`))
          explained.push(path)
        }
        if (path.endsWith('.metadata')) return
        for (const [key, value] of Object.entries((schema.properties ?? {}) as Record<string, Document>)) {
          walk(value, `${path}.${key}`, key)
        }
        if (schema.items) walk(schema.items as Document, `${path}[]`)
      }
      for (const { kind } of kinds) {
        const schema = schemaOf(kind)
        expect(String(schema?.description), kind).toMatch(new RegExp(`^${kind} `))
        walk(schema ?? {}, kind)
      }
      const fieldsOf = (kind: string) => explained.filter((path) => path.startsWith(`${kind}.spec.`)).length
      expect(Object.fromEntries(kinds.map(({ kind }) => [kind, fieldsOf(kind)]))).toEqual({
        Search: 14,
        Branch: 8,
        GenerationJob: 18,
        WarmPool: 4,
      })
    })
  },
)
