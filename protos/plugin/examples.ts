import type { DescMessage } from '@bufbuild/protobuf'
import type { FieldModel, ModelReader, Shape } from './model.ts'

const samples: Record<Exclude<Shape['kind'], 'enum' | 'message'>, unknown> = {
  string: 'text',
  number: 1.5,
  int32: 1,
  int64: 1,
  boolean: true,
  bytes: '',
  timestamp: '2026-03-01T09:15:02Z',
  object: {},
  any: null,
}

/** Decides which fields an example has. */
type FieldFilter = (field: FieldModel) => boolean

/** Fields of an example request: an optional field without an example is left out, since a value of its kind alone is seldom accepted. */
export const sentFields = (model: ModelReader): FieldFilter => {
  const isSent = ({ options, rules, shape }: FieldModel, trail: DescMessage[]): boolean => {
    if (rules.required || options.example || options.default) return true
    if (shape.kind !== 'message' || trail.includes(shape.of)) return false
    return model.fieldsOf(shape.of).some((field) => isSent(field, [...trail, shape.of]))
  }
  return (field) => isSent(field, [])
}

/** Builds example values from the fields' own examples; a field without one gets a plain value of its kind. */
export const createExamples = (model: ModelReader, isShown: FieldFilter = () => true) => {
  const ofShape = (shape: Shape, trail: DescMessage[]): unknown => {
    if (shape.kind === 'message')
      return trail.includes(shape.of) ? {} : ofFields(model.fieldsOf(shape.of), [...trail, shape.of])
    if (shape.kind === 'enum') return shape.of.words[0]?.word ?? null
    return samples[shape.kind]
  }

  const ofField = (field: FieldModel, trail: DescMessage[] = []): unknown => {
    if (field.options.example) return JSON.parse(field.options.example)
    if (field.options.default) return JSON.parse(field.options.default)
    const fixed = field.rules.value.enum
    const one = Array.isArray(fixed) ? fixed[0] : (field.rules.value.minimum ?? ofShape(field.shape, trail))
    if (field.repeated) return [one]
    if (field.map) return { key: one }
    return one
  }

  const ofFields = (fields: FieldModel[], trail: DescMessage[] = []): Record<string, unknown> => {
    const seen = new Set<string>()
    const shown = fields.filter((field) => {
      if (field.options.eventId || !isShown(field)) return false
      if (!field.oneof) return true
      if (seen.has(field.oneof)) return false
      seen.add(field.oneof)
      return true
    })
    return Object.fromEntries(shown.map((field) => [field.name, ofField(field, trail)]))
  }

  return { ofField, ofFields, ofMessage: (message: DescMessage) => ofFields(model.fieldsOf(message), [message]) }
}
