import type { Answers, Row } from './answers.ts'

/** A fact derived from an answer. */
export type WizardFact = { category: string; key: string; value: string }

const text = (value: string | readonly string[] | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : value.join(', ')

/** An answer of a row with words around it; empty without an answer. */
const phrase = (row: Row, name: string, before = '', after = ''): string => {
  const value = text(row[name])
  return value === '' ? '' : `${before}${value}${after}`
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join('; ')

/** How the facts of rows are phrased, by field. */
const ofRows: Record<string, { category: string; value: (row: Row) => string }> = {
  hosts: {
    category: 'host',
    value: (row) =>
      joined(
        phrase(row, 'role'),
        phrase(row, 'addresses', 'at '),
        phrase(row, 'system', 'runs '),
        phrase(row, 'notes'),
      ),
  },
  services: {
    category: 'service',
    value: (row) =>
      joined(
        phrase(row, 'purpose'),
        phrase(row, 'host', 'runs on '),
        phrase(row, 'ports', 'ports '),
        phrase(row, 'depends_on', 'depends on '),
        phrase(row, 'notes'),
      ),
  },
  storage: {
    category: 'storage',
    value: (row) =>
      joined(
        phrase(row, 'kind'),
        phrase(row, 'host', 'on '),
        phrase(row, 'capacity'),
        phrase(row, 'holds', 'holds '),
        phrase(row, 'notes'),
      ),
  },
  schedules: {
    category: 'schedule',
    value: (row) =>
      joined(phrase(row, 'when'), phrase(row, 'host', 'on '), phrase(row, 'target', 'to '), phrase(row, 'notes')),
  },
  issues: {
    category: 'known_issue',
    value: (row) => joined(phrase(row, 'symptom'), phrase(row, 'remedy', 'what helps: ')),
  },
  contacts: {
    category: 'contact',
    value: (row) => joined(phrase(row, 'about', 'for '), phrase(row, 'reach')),
  },
}

/** The value of a row that has only a name. */
const present = 'is there'

const maxValue = 4_000
const maxKey = 200

const isRows = (answer: Answers[string]): answer is readonly Row[] =>
  Array.isArray(answer) && typeof answer[0] === 'object'

/** The facts derived from the answers to one step; the category of answers without rows is the step itself. */
export const factsOf = (step: string, answers: Answers): WizardFact[] =>
  Object.entries(answers).flatMap(([field, answer]): WizardFact[] => {
    const rows = ofRows[field]
    if (!isRows(answer)) return [{ category: step, key: field, value: text(answer).slice(0, maxValue) }]
    if (!rows) throw new TypeError(`ofRows lacks the field ${field}.`)
    return answer.map((row) => ({
      category: rows.category,
      key: text(row.name).slice(0, maxKey),
      value: (rows.value(row) || present).slice(0, maxValue),
    }))
  })
