import { invalidField, serviceError } from '@trellis/kit/errors'
import { type Column, type Field, type Step, wizardSteps } from './steps.ts'

/** Maximum characters of a text, entries of a list, rows, and characters of all answers. */
export const answerLimits = { text: 300, list: 50, rows: 200, all: 262_144 }

/** A stored answer: trimmed and without empty values. */
export type Row = Readonly<Record<string, string | readonly string[]>>
export type Answers = Readonly<Record<string, string | readonly string[] | readonly Row[]>>

/** The parts of a location such as `hosts.0.name`: positions in lists are numbers, as in all errors. */
const partsOf = (location: string) => location.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

const refuse = (location: string, problem: string) =>
  serviceError('invalid', [{ loc: ['body', 'answers', ...partsOf(location)], msg: problem, type: 'value_error' }])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const readText = (value: unknown, location: string, max = answerLimits.text): string => {
  if (typeof value !== 'string') throw refuse(location, 'must be text')
  if (value.length > max) throw refuse(location, `must have at most ${max} characters`)
  if (value.includes('\0')) throw refuse(location, 'must not have a NUL character')
  return value.trim()
}

const readList = (value: unknown, location: string): string[] => {
  if (!Array.isArray(value)) throw refuse(location, 'must be a list')
  if (value.length > answerLimits.list) throw refuse(location, `must have at most ${answerLimits.list} entries`)
  const texts = value.map((item: unknown, index) => readText(item, `${location}.${index}`))
  return [...new Set(texts.filter((text) => text !== ''))]
}

const readAnswer = (question: Exclude<Field | Column, { type: 'rows' }>, value: unknown, location: string) => {
  if (question.type === 'list') return readList(value, location)
  if (question.type === 'text') return readText(value, location, question.max)
  const text = readText(value, location)
  if (text === '' || question.options.includes(text)) return text
  throw refuse(location, `must be one of ${question.options.join(', ')}`)
}

/** Refuses unknown names, so that a misspelled one is not ignored silently. */
const checkNames = (value: Record<string, unknown>, questions: readonly { name: string }[], location: string) => {
  const known = questions.map(({ name }) => name)
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw refuse(`${location}${unknown.slice(0, 100)}`, `is unknown here: expected one of ${known.join(', ')}`)
}

const readRow = (columns: readonly Column[], value: unknown, location: string): Row => {
  if (!isObject(value)) throw refuse(location, 'must be an object')
  checkNames(value, columns, `${location}.`)
  const row: Record<string, string | readonly string[]> = {}
  for (const column of columns) {
    const at = `${location}.${column.name}`
    const answer = isEmpty(value[column.name]) ? '' : readAnswer(column, value[column.name], at)
    if (!isEmpty(answer)) row[column.name] = answer
    else if (column.required) throw refuse(at, 'is required')
  }
  return row
}

const readRows = (columns: readonly Column[], value: unknown, location: string): Row[] => {
  if (!Array.isArray(value)) throw refuse(location, 'must be a list of objects')
  if (value.length > answerLimits.rows) throw refuse(location, `must have at most ${answerLimits.rows} rows`)
  const rows = value.map((item: unknown, index) => readRow(columns, item, `${location}.${index}`))
  const names = new Set<string>()
  for (const [index, { name }] of rows.entries()) {
    const key = String(name).toLowerCase()
    if (names.has(key)) throw refuse(`${location}.${index}.name`, `"${name}" occurs more than once`)
    names.add(key)
  }
  return rows
}

/** The step with this id. Throws `not_found`. */
export const stepOf = (id: string): Step => {
  const step = wizardSteps.find((known) => known.id === id)
  if (step) return step
  const known = wizardSteps.map((one) => one.id).join(', ')
  throw serviceError('not_found', `The wizard has no step "${id.slice(0, 100)}": its steps are ${known}.`)
}

/** Checks the answers to a step, which are JSON text. Throws `malformed`, or `invalid` (422) with the location of the answer. */
export const readAnswers = (step: Step, json: string): Answers => {
  if (json.length > answerLimits.all)
    throw serviceError('too_large', `answers must have at most ${answerLimits.all} characters.`)
  let parsed: unknown
  try {
    parsed = json === '' ? {} : (JSON.parse(json) ?? {})
  } catch (cause) {
    throw serviceError('malformed', 'answers are not valid JSON.', { cause })
  }
  if (!isObject(parsed)) throw invalidField(['body', 'answers'], 'answers must be an object from fields to answers.')
  checkNames(parsed, step.fields, '')
  const answers: Record<string, Answers[string]> = {}
  for (const field of step.fields) {
    const value = parsed[field.name]
    if (isEmpty(value)) continue
    const answer =
      field.type === 'rows' ? readRows(field.columns, value, field.name) : readAnswer(field, value, field.name)
    if (!isEmpty(answer)) answers[field.name] = answer
  }
  return answers
}
