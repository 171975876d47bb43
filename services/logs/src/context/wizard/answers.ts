import { invalidField, serviceError } from '@trellis/kit/errors'
import { type Column, type Field, type Step, wizardSteps } from './steps.ts'

/** In characters, entries of a list, and rows. */
export const answerLimits = { text: 300, list: 50, rows: 200, all: 262_144 }

/** An answer as it is kept: without blanks around it, and without what is empty. */
export type Row = Readonly<Record<string, string | readonly string[]>>
export type Answers = Readonly<Record<string, string | readonly string[] | readonly Row[]>>

const refuse = (place: string, problem: string) =>
  serviceError('invalid', [{ loc: ['body', 'answers', ...place.split('.')], msg: problem, type: 'value_error' }])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const readText = (value: unknown, place: string, max = answerLimits.text): string => {
  if (typeof value !== 'string') throw refuse(place, 'must be text')
  if (value.length > max) throw refuse(place, `must have at most ${max} characters`)
  if (value.includes('\0')) throw refuse(place, 'must not have a NUL character')
  return value.trim()
}

const readList = (value: unknown, place: string): string[] => {
  if (!Array.isArray(value)) throw refuse(place, 'must be a list')
  if (value.length > answerLimits.list) throw refuse(place, `must have at most ${answerLimits.list} entries`)
  const texts = value.map((item: unknown, index) => readText(item, `${place}.${index}`))
  return [...new Set(texts.filter((text) => text !== ''))]
}

const readAnswer = (question: Exclude<Field | Column, { type: 'rows' }>, value: unknown, place: string) => {
  if (question.type === 'list') return readList(value, place)
  if (question.type === 'text') return readText(value, place, question.max)
  const text = readText(value, place)
  if (text === '' || question.options.includes(text)) return text
  throw refuse(place, `must be one of ${question.options.join(', ')}`)
}

/** No name that is not asked for: a typing error is not to be lost in silence. */
const checkNames = (given: Record<string, unknown>, asked: readonly { name: string }[], place: string) => {
  const known = asked.map(({ name }) => name)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw refuse(`${place}${unknown.slice(0, 100)}`, `is not asked for here: ${known.join(', ')} are`)
}

const readRow = (columns: readonly Column[], value: unknown, place: string): Row => {
  if (!isObject(value)) throw refuse(place, 'must be an object')
  checkNames(value, columns, `${place}.`)
  const row: Record<string, string | readonly string[]> = {}
  for (const column of columns) {
    const at = `${place}.${column.name}`
    const answer = isEmpty(value[column.name]) ? '' : readAnswer(column, value[column.name], at)
    if (!isEmpty(answer)) row[column.name] = answer
    else if (column.required) throw refuse(at, 'is required')
  }
  return row
}

const readRows = (columns: readonly Column[], value: unknown, place: string): Row[] => {
  if (!Array.isArray(value)) throw refuse(place, 'must be a list of objects')
  if (value.length > answerLimits.rows) throw refuse(place, `must have at most ${answerLimits.rows} rows`)
  const rows = value.map((item: unknown, index) => readRow(columns, item, `${place}.${index}`))
  const names = new Set<string>()
  for (const [index, { name }] of rows.entries()) {
    const key = String(name).toLowerCase()
    if (names.has(key)) throw refuse(`${place}.${index}.name`, `"${name}" is there already`)
    names.add(key)
  }
  return rows
}

/** The step with an id. Throws `not_found`. */
export const stepOf = (id: string): Step => {
  const step = wizardSteps.find((known) => known.id === id)
  if (step) return step
  const known = wizardSteps.map((one) => one.id).join(', ')
  throw serviceError('not_found', `The wizard has no step "${id.slice(0, 100)}": its steps are ${known}.`)
}

/** Checks the answers to a step, given as JSON text. Throws `invalid` (422) that says which answer, or `malformed`. */
export const readAnswers = (step: Step, json: string): Answers => {
  if (json.length > answerLimits.all)
    throw serviceError('too_large', `answers must have at most ${answerLimits.all} characters.`)
  let given: unknown
  try {
    given = json === '' ? {} : (JSON.parse(json) ?? {})
  } catch (cause) {
    throw serviceError('malformed', 'answers are no valid JSON.', { cause })
  }
  if (!isObject(given)) throw invalidField(['body', 'answers'], 'answers must be an object from fields to answers.')
  checkNames(given, step.fields, '')
  const answers: Record<string, Answers[string]> = {}
  for (const field of step.fields) {
    const value = given[field.name]
    if (isEmpty(value)) continue
    const answer =
      field.type === 'rows' ? readRows(field.columns, value, field.name) : readAnswer(field, value, field.name)
    if (!isEmpty(answer)) answers[field.name] = answer
  }
  return answers
}
