/**
 * A CEL rule that the API server enforces; `self` is the value that carries the rule, `oldSelf` its previous value.
 */
export type Rule = {
  rule: string
  /** The message when the rule is violated. It names the field and states what to do. */
  message: string
  /** The field that the error refers to, relative to the value that carries the rule: `.slug`. */
  fieldPath?: string
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired'
}

/** The subset of structural schemas that our kinds use, named as in the CustomResourceDefinition API. */
export type JsonSchema = {
  description: string
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  format?: 'int32' | 'int64' | 'date-time'
  enum?: readonly string[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  maxItems?: number
  anyOf?: readonly { type: 'string' | 'integer' }[]
  required?: readonly string[]
  properties?: Readonly<Record<string, JsonSchema>>
  items?: JsonSchema
  'x-kubernetes-int-or-string'?: true
  'x-kubernetes-list-type'?: 'atomic' | 'map'
  'x-kubernetes-list-map-keys'?: readonly string[]
  'x-kubernetes-validations'?: readonly Rule[]
}

/**
 * `optional`: may be absent; `required`: writers must set it; `defaulted`: writers may omit it, readers always find it.
 */
export type Presence = 'optional' | 'required' | 'defaulted'

/**
 * A field of a kind: its schema, typed by what readers find and what writers may set. The two differ where defaults
 * apply. `types` exists only at compile time.
 */
export type Field<Read = unknown, Write = unknown, P extends Presence = Presence> = {
  readonly schema: JsonSchema
  readonly presence: P
  /** Why the field is immutable, if it is. */
  readonly fixedBecause?: string
  readonly types?: { readonly read: Read; readonly write: Write }
}

type Scalar<Value> = Field<Value, Value, 'optional'>

export type ReadOf<F extends Field> = NonNullable<F['types']>['read']
export type WriteOf<F extends Field> = NonNullable<F['types']>['write']

export type Fields = Readonly<Record<string, Field>>
type Flat<T> = { [K in keyof T]: T[K] }
type KeysOf<F extends Fields, P extends Presence> = { [K in keyof F]: F[K]['presence'] extends P ? K : never }[keyof F]

/** The fields as read: required and defaulted ones are always present. */
export type ReadFields<F extends Fields> = Flat<
  { readonly [K in KeysOf<F, 'required' | 'defaulted'>]: ReadOf<F[K]> } & {
    readonly [K in KeysOf<F, 'optional'>]?: ReadOf<F[K]>
  }
>

/** The fields as written: only required ones must be present. */
export type WriteFields<F extends Fields> = Flat<
  { readonly [K in KeysOf<F, 'required'>]: WriteOf<F[K]> } & {
    readonly [K in KeysOf<F, 'optional' | 'defaulted'>]?: WriteOf<F[K]>
  }
>

const field = <Value>(schema: JsonSchema): Scalar<Value> => ({ schema, presence: 'optional' })

const ruled = (rules: readonly Rule[]) => (rules.length === 0 ? {} : { 'x-kubernetes-validations': rules })

type TextLimits = { minLength?: number; maxLength: number; pattern?: string; rules?: readonly Rule[] }

/** Text. Always bounded: the API server rejects rules on unbounded text as too costly. */
export const text = (description: string, { rules = [], ...limits }: TextLimits): Scalar<string> =>
  field({ type: 'string', description, ...limits, ...ruled(rules) })

/** A point in time, ISO 8601 in UTC. */
export const time = (description: string): Scalar<string> => field({ type: 'string', format: 'date-time', description })

export const integer = (
  description: string,
  limits: { minimum?: number; maximum?: number; format?: 'int32' | 'int64' } = {},
): Scalar<number> => field({ type: 'integer', format: 'int32', description, ...limits })

export const number = (description: string, limits: { minimum?: number; maximum?: number } = {}): Scalar<number> =>
  field({ type: 'number', description, ...limits })

export const flag = (description: string): Scalar<boolean> => field({ type: 'boolean', description })

/** An enumeration. */
export const choice = <const Word extends string>(description: string, words: readonly Word[]): Scalar<Word> =>
  field({ type: 'string', description, enum: words })

/**
 * A Kubernetes quantity above zero: `500m`, `1Gi`, or a plain number. `rules` see text or a number: use `string(self)`.
 */
export const quantity = (name: string, description: string, rules: readonly Rule[] = []): Scalar<string | number> =>
  field({
    description,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    maxLength: 32,
    'x-kubernetes-int-or-string': true,
    ...ruled([
      { rule: 'isQuantity(string(self))', message: `${name} must be a quantity, such as 500m, 2 or 1Gi` },
      {
        rule: "!isQuantity(string(self)) || quantity(string(self)).isGreaterThan(quantity('0'))",
        message: `${name} must be greater than 0`,
      },
      ...rules,
    ]),
  })

/** An atomic list, which a writer sets as a whole. */
export const list = <Read, Write>(
  description: string,
  items: Field<Read, Write>,
  { maxItems }: { maxItems: number },
): Field<readonly Read[], readonly Write[], 'optional'> => ({
  schema: { type: 'array', description, maxItems, 'x-kubernetes-list-type': 'atomic', items: items.schema },
  presence: 'optional',
})

/** A list whose items are identified by one of their fields, so that several writers can each own some. */
export const listBy = <Read, Write>(
  key: Extract<keyof Read, string>,
  description: string,
  items: Field<Read, Write>,
  { maxItems }: { maxItems: number },
): Field<readonly Read[], readonly Write[], 'optional'> => ({
  schema: {
    type: 'array',
    description,
    maxItems,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
    items: items.schema,
  },
  presence: 'optional',
})

/**
 * CEL expression: an optional field is unchanged or still absent. The cost estimate of the shorter `self.?name ==
 * oldSelf.?name` is too high.
 */
export const unchanged = (name: string): string =>
  `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`

/**
 * A rule that a field is unchanged. It is attached to the enclosing object, because a field's own rule is skipped when
 * the field is added or removed.
 */
const staysFixed = (name: string, { presence, fixedBecause }: Field): Rule => ({
  rule: presence === 'optional' ? unchanged(name) : `self.${name} == oldSelf.${name}`,
  message: `${name} cannot be changed: ${fixedBecause}`,
  fieldPath: `.${name}`,
  reason: 'FieldValueForbidden',
})

/** An object with these fields and cross-field rules. */
export const object = <F extends Fields>(
  description: string,
  fields: F,
  rules: readonly Rule[] = [],
): Field<ReadFields<F>, WriteFields<F>, 'optional'> => {
  const entries = Object.entries(fields)
  const required = entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name)
  const fixed = entries.filter(([, { fixedBecause }]) => fixedBecause !== undefined)
  return {
    schema: {
      type: 'object',
      description,
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      ...ruled([...rules, ...fixed.map(([name, value]) => staysFixed(name, value))]),
    },
    presence: 'optional',
  }
}

/** Marks a field as required. */
export const required = <Read, Write>({
  presence: _,
  ...rest
}: Field<Read, Write>): Field<Read, Write, 'required'> => ({
  ...rest,
  presence: 'required',
})

/** Sets the field's default. The description states it, too, since `kubectl explain` does not. */
export const defaulted = <Read, Write>(
  value: Write,
  { presence: _, schema, ...rest }: Field<Read, Write>,
): Field<Read, Write, 'defaulted'> => {
  const description = typeof value === 'object' ? schema.description : `${schema.description} Default: ${value}.`
  return { ...rest, schema: { ...schema, description, default: value }, presence: 'defaulted' }
}

/** Marks a field as immutable; `because` completes the error message with the reason and what to do instead. */
export const immutable = <Read, Write, P extends Presence>(
  because: string,
  base: Field<Read, Write, P>,
): Field<Read, Write, P> => ({ ...base, fixedBecause: because })
