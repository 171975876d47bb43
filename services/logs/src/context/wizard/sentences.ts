import type { Answers, Row } from './answers.ts'

/** A fact that follows from an answer. */
export type WizardFact = { category: string; key: string; value: string }

const text = (value: string | readonly string[] | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : value.join(', ')

/** Words around an answer; nothing where there is none. */
const told = (row: Row, name: string, before = '', after = ''): string => {
  const value = text(row[name])
  return value === '' ? '' : `${before}${value}${after}`
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join('; ')

/** What is said of one row, by the field that it is of. */
const ofRows: Record<string, { category: string; value: (row: Row) => string }> = {
  hosts: {
    category: 'host',
    value: (row) =>
      joined(told(row, 'role'), told(row, 'addresses', 'at '), told(row, 'system', 'runs '), told(row, 'notes')),
  },
  services: {
    category: 'service',
    value: (row) =>
      joined(
        told(row, 'purpose'),
        told(row, 'host', 'runs on '),
        told(row, 'ports', 'ports '),
        told(row, 'depends_on', 'depends on '),
        told(row, 'notes'),
      ),
  },
  storage: {
    category: 'storage',
    value: (row) =>
      joined(
        told(row, 'kind'),
        told(row, 'host', 'on '),
        told(row, 'capacity'),
        told(row, 'holds', 'holds '),
        told(row, 'notes'),
      ),
  },
  schedules: {
    category: 'schedule',
    value: (row) => joined(told(row, 'when'), told(row, 'host', 'on '), told(row, 'target', 'to '), told(row, 'notes')),
  },
  issues: {
    category: 'known_issue',
    value: (row) => joined(told(row, 'symptom'), told(row, 'remedy', 'what helps: ')),
  },
  contacts: {
    category: 'contact',
    value: (row) => joined(told(row, 'about', 'for '), told(row, 'reach')),
  },
}

/** For a row that says nothing but its name. */
const present = 'is there'

const maxValue = 4_000
const maxKey = 200

const isRows = (answer: Answers[string]): answer is readonly Row[] =>
  Array.isArray(answer) && typeof answer[0] === 'object'

/** The facts that follow from the answers to one step; the category of answers without rows is the step itself. */
export const factsOf = (step: string, answers: Answers): WizardFact[] =>
  Object.entries(answers).flatMap(([field, answer]): WizardFact[] => {
    const rows = ofRows[field]
    if (!isRows(answer)) return [{ category: step, key: field, value: text(answer).slice(0, maxValue) }]
    if (!rows) throw new TypeError(`Nothing is said of the rows of ${field}.`)
    return answer.map((row) => ({
      category: rows.category,
      key: text(row.name).slice(0, maxKey),
      value: (rows.value(row) || present).slice(0, maxValue),
    }))
  })
