import type { DescMessage } from '@bufbuild/protobuf'
import type { EnumModel, FieldModel, ModelReader, Shape } from './model.ts'

/** Messages reachable from the roots, each once, inner ones first. */
export const reachable = (roots: Iterable<DescMessage>, model: ModelReader): DescMessage[] => {
  const found = new Set<DescMessage>()
  const visit = (message: DescMessage, trail: Set<DescMessage>) => {
    if (found.has(message) || trail.has(message)) return
    for (const { shape } of model.fieldsOf(message))
      if (shape.kind === 'message') visit(shape.of, new Set([...trail, message]))
    found.add(message)
  }
  for (const root of roots) visit(root, new Set())
  return [...found]
}

export const enumsOf = (messages: DescMessage[], model: ModelReader): EnumModel[] => {
  const found = new Map<string, EnumModel>()
  for (const message of messages)
    for (const { shape } of model.fieldsOf(message)) if (shape.kind === 'enum') found.set(shape.of.name, shape.of)
  return [...found.values()]
}

/** Tables of an enum: from its values to their words over HTTP, and back. */
export const enumTables = ({ name, proto, unspecified, words }: EnumModel): string[] => [
  `const ${name}Words: Record<string, ${name}Word | null> = {`,
  `  ${unspecified}: null,`,
  ...words.map(({ value, word }) => `  ${value}: '${word}',`),
  '}',
  `const ${name}Values: Record<string, ${proto}> = {`,
  ...words.map(({ value, word }) => `  '${word}': '${value}',`),
  '}',
]

const toRestValue = (shape: Shape, value: string): string => {
  if (shape.kind === 'message') return `${shape.name}ToRest(${value})`
  if (shape.kind === 'enum') return `${shape.of.name}Words[${value}] ?? null`
  if (shape.kind === 'bytes') return `Buffer.from(${value}).toString('base64')`
  return value
}

const isPlain = (shape: Shape) => !['message', 'enum', 'bytes'].includes(shape.kind)

const toRestField = (field: FieldModel): string => {
  const value = field.oneof ? `oneof(m.${field.oneof}, '${field.local}')` : `m.${field.local}`
  const { shape } = field
  if (field.options.jsonText) return `jsonOf(${value})`
  if (field.repeated) return isPlain(shape) ? value : `${value}.map((item) => ${toRestValue(shape, 'item')})`
  if (field.map) return isPlain(shape) ? value : `mapValues(${value}, (item) => ${toRestValue(shape, 'item')})`
  if (field.oneof)
    return isPlain(shape) ? `${value} ?? null` : `present(${value}, (item) => ${toRestValue(shape, 'item')})`
  if (shape.kind === 'enum') return `${shape.of.name}Words[${value}] ?? null`
  if (!field.optional) return toRestValue(shape, value)
  return isPlain(shape) ? `${value} ?? null` : `present(${value}, (item) => ${toRestValue(shape, 'item')})`
}

/** A function from a generated message to its JSON: snake case, explicit nulls, words for enums. */
export const toRestFunction = (message: DescMessage, model: ModelReader): string[] => {
  const name = model.names.of(message)
  const fields = model.fieldsOf(message)
  const shown = fields.filter((field) => !field.options.eventId)
  const conditional = (field: FieldModel) => field.options.omitNull || field.oneof !== undefined
  return [
    `export const ${name}ToRest = (${shown.length === 0 ? '_' : 'm'}: ${model.names.proto(message)}): ${name}Rest => ({`,
    ...shown.map((field) =>
      conditional(field)
        ? `  ...omitNull('${field.name}', ${toRestField(field)}),`
        : `  ${field.name}: ${toRestField(field)},`,
    ),
    '})',
  ]
}

const zero: Record<Shape['kind'], string> = {
  string: "''",
  number: '0',
  int32: '0',
  int64: '0',
  boolean: 'false',
  bytes: 'new Uint8Array()',
  timestamp: 'undefined',
  object: 'undefined',
  any: 'undefined',
  enum: 'undefined',
  message: 'undefined',
}

const fromRestValue = (shape: Shape, value: string): string => {
  if (shape.kind === 'message') return `${shape.name}FromRest(${value})`
  if (shape.kind === 'enum') return `${shape.of.name}Values[${value}] ?? '${shape.of.unspecified}'`
  if (shape.kind === 'bytes') return `Buffer.from(${value}, 'base64')`
  return value
}

const fromRestField = (field: FieldModel): string => {
  const { shape, options } = field
  const value = options.clamped ? `int32Of(j.${field.name})` : `j.${field.name}`
  if (options.jsonText) return `textOf(${value})`
  if (field.repeated)
    return isPlain(shape) ? `${value} ?? []` : `(${value} ?? []).map((item: any) => ${fromRestValue(shape, 'item')})`
  if (field.map)
    return isPlain(shape)
      ? `${value} ?? {}`
      : `mapValues(${value} ?? {}, (item: any) => ${fromRestValue(shape, 'item')})`
  const fallback = options.default
    ? shape.kind === 'enum'
      ? undefined
      : JSON.stringify(JSON.parse(options.default))
    : undefined
  if (shape.kind === 'enum') {
    const word = options.default ? `${value} ?? ${options.default}` : `${value} ?? ''`
    return fromRestValue(shape, word)
  }
  const absent = fallback ?? (field.optional ? (shape.kind === 'message' ? 'null' : 'undefined') : zero[shape.kind])
  return isPlain(shape) ? `${value} ?? ${absent}` : `${value} == null ? ${absent} : ${fromRestValue(shape, value)}`
}

/** A function from a validated JSON object to a generated message with every field present. */
export const fromRestFunction = (message: DescMessage, model: ModelReader): string[] => {
  const name = model.names.of(message)
  const fields = model.fieldsOf(message)
  const oneofs = new Set(fields.flatMap((field) => field.oneof ?? []))
  if (oneofs.size > 0) throw new Error(`${message.typeName} has a oneof, which requests over HTTP cannot have.`)
  const shown = fields.filter((field) => field.name !== 'update_mask')
  const masked = shown.length < fields.length
  return [
    `export const ${name}FromRest = (${shown.length === 0 ? '_' : 'j'}: any): ${model.names.proto(message)} => ({`,
    ...shown.map((field) => `  ${field.local}: ${fromRestField(field)},`),
    ...(masked ? ['  updateMask: j.update_mask,'] : []),
    '})',
  ]
}

export const typeOfShape = (shape: Shape): string => {
  switch (shape.kind) {
    case 'message':
      return `${shape.name}Rest`
    case 'enum':
      return `${shape.of.name}Word`
    case 'number':
    case 'int32':
    case 'int64':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      return 'Record<string, unknown>'
    case 'any':
      return 'unknown'
    default:
      return 'string'
  }
}

const typeOfField = (field: FieldModel): string => {
  const item = typeOfShape(field.shape)
  if (field.repeated) return item.includes(' ') ? `Array<${item}>` : `${item}[]`
  if (field.map) return `Record<string, ${item}>`
  return field.optional && item !== 'unknown' ? `${item} | null` : item
}

export const commentLines = (text: string, indent: string): string[] =>
  text === '' ? [] : [`${indent}/** ${text.replaceAll('\n', `\n${indent} * `)} */`]

export const restType = (message: DescMessage, model: ModelReader, description: string): string[] => [
  ...commentLines(description, ''),
  `export type ${model.names.of(message)}Rest = {`,
  ...model
    .fieldsOf(message)
    .filter((field) => !field.options.eventId)
    .flatMap((field) => [
      ...commentLines(field.comment, '  '),
      `  ${field.name}${field.options.omitNull || field.oneof ? '?' : ''}: ${typeOfField(field)}`,
    ]),
  '}',
]

export const wordType = ({ name, words, comment: description }: EnumModel): string[] => [
  ...commentLines(description, ''),
  `export type ${name}Word = ${words.map(({ word }) => `'${word}'`).join(' | ')}`,
]
