import { expect, expectTypeOf, test } from 'vitest'
import type { Condition } from '../runtime/objects/conditions.ts'
import type { BranchSpec, GenerationJobStatus, SearchSpec, SearchSpecInput, WarmPoolStatus } from './mod.ts'
import { defaulted, immutable, integer, list, object, type ReadOf, required, text, type WriteOf } from './schema.ts'

const fruit = object('fruit is what grows.', {
  name: required(immutable('it is painted on', text('name is what it is called.', { maxLength: 10 }))),
  seeds: immutable('seeds are counted once', integer('seeds is how many seeds it has.', { minimum: 0 })),
  weeks: defaulted(4, integer('weeks is how long it lasts.')),
  colours: list('colours are what it looks like.', text('A colour.', { maxLength: 10 }), { maxItems: 3 }),
})

test('a defaulted field is optional to write and always present to read', () => {
  expectTypeOf<ReadOf<typeof fruit>>().toEqualTypeOf<{
    readonly name: string
    readonly weeks: number
    readonly seeds?: number
    readonly colours?: readonly string[]
  }>()
  expectTypeOf<WriteOf<typeof fruit>>().toEqualTypeOf<{
    readonly name: string
    readonly weeks?: number
    readonly seeds?: number
    readonly colours?: readonly string[]
  }>()
  expect(fruit.schema.required).toEqual(['name'])
  expect(fruit.schema.properties?.weeks).toEqual({
    type: 'integer',
    format: 'int32',
    description: 'weeks is how long it lasts. Default: 4.',
    default: 4,
  })
})

test('an immutable field can be neither changed, added nor removed', () => {
  expect(fruit.schema['x-kubernetes-validations']).toEqual([
    {
      rule: 'self.name == oldSelf.name',
      message: 'name cannot be changed: it is painted on',
      fieldPath: '.name',
      reason: 'FieldValueForbidden',
    },
    {
      rule: 'has(self.seeds) == has(oldSelf.seeds) && (!has(self.seeds) || self.seeds == oldSelf.seeds)',
      message: 'seeds cannot be changed: seeds are counted once',
      fieldPath: '.seeds',
      reason: 'FieldValueForbidden',
    },
  ])
})

test('the types of our kinds include enumerations, defaults, optional fields and runtime conditions', () => {
  expectTypeOf<SearchSpec['adapter']>().toEqualTypeOf<'auto' | 'api' | 'scraper'>()
  expectTypeOf<SearchSpec['pages']>().toEqualTypeOf<number>()
  expectTypeOf<{ query: string }>().toExtend<SearchSpecInput>()
  expectTypeOf<{ pages: number }>().not.toExtend<SearchSpecInput>()
  expectTypeOf<BranchSpec['slug']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<BranchSpec['storage']>().toEqualTypeOf<string | number>()
  expectTypeOf<GenerationJobStatus['phase']>().toEqualTypeOf<
    'Pending' | 'Running' | 'Complete' | 'Failed' | undefined
  >()
  expectTypeOf<WarmPoolStatus['observedGeneration']>().toEqualTypeOf<number>()
  expectTypeOf<readonly Condition[]>().toExtend<NonNullable<WarmPoolStatus['conditions']>>()
})
