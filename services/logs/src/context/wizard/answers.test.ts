import { describe, expect, test } from 'vitest'
import { answerLimits, readAnswers, stepOf } from './answers.ts'
import { factsOf } from './sentences.ts'
import { wizardSteps } from './steps.ts'

const read = (step: string, answers: unknown) => readAnswers(stepOf(step), JSON.stringify(answers))

describe('answers to the wizard', () => {
  test('are stored trimmed and without empty values', () => {
    const answers = {
      hosts: [{ name: ' nas ', addresses: ['192.168.1.10', '', '192.168.1.10'], system: '', role: null }],
    }
    expect(read('hosts', answers)).toEqual({ hosts: [{ name: 'nas', addresses: ['192.168.1.10'] }] })
    expect(read('hosts', { hosts: [] })).toEqual({})
    expect(readAnswers(stepOf('hosts'), '')).toEqual({})
  })

  test.each<[string, string, unknown, string]>([
    ['no object', 'hosts', ['nas'], 'must be an object'],
    ['an unknown field', 'hosts', { host: [] }, 'host'],
    ['an unknown column', 'hosts', { hosts: [{ name: 'nas', adress: '1' }] }, 'adress'],
    ['a row without a name', 'hosts', { hosts: [{ role: 'server' }] }, 'required'],
    ['a row that is not an object', 'hosts', { hosts: ['nas'] }, 'must be an object'],
    ['rows that are not a list', 'hosts', { hosts: 'nas' }, 'list of objects'],
    ['a choice that is not offered', 'hosts', { hosts: [{ name: 'nas', role: 'toaster' }] }, 'one of'],
    ['a name twice', 'hosts', { hosts: [{ name: 'nas' }, { name: 'NAS' }] }, 'more than once'],
    ['text that is a number', 'network', { router: 7 }, 'must be text'],
    ['text that is too long', 'network', { router: 'x'.repeat(301) }, '300'],
    ['a list that is text', 'network', { subnets: 'all' }, 'must be a list'],
    ['too many rows', 'hosts', { hosts: Array.from({ length: 201 }, (_, name) => ({ name: `${name}` })) }, '200'],
  ])('%s is refused, with its location', (_, step, answers, words) => {
    const refused = expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(words) })
    expect(() => read(step, answers)).toThrow(refused)
  })

  test('a location has the positions in lists as numbers', () => {
    const twice = { hosts: [{ name: 'nas' }, { name: 'NAS' }] }
    const detail = [expect.objectContaining({ loc: ['body', 'answers', 'hosts', 1, 'name'] })]
    expect(() => read('hosts', twice)).toThrow(expect.objectContaining({ detail }))
  })

  test('invalid JSON, an unknown step and oversized answers are refused', () => {
    expect(() => readAnswers(stepOf('hosts'), '{')).toThrow(expect.objectContaining({ kind: 'malformed' }))
    expect(() => stepOf('cellar')).toThrow(expect.objectContaining({ kind: 'not_found' }))
    expect(() => readAnswers(stepOf('hosts'), ' '.repeat(answerLimits.all + 1))).toThrow(
      expect.objectContaining({ kind: 'too_large' }),
    )
  })

  test('every question yields a fact', () => {
    for (const { id, fields } of wizardSteps)
      for (const field of fields) {
        const row = () =>
          field.type === 'rows'
            ? Object.fromEntries(
                field.columns.map((column) => [
                  column.name,
                  column.type === 'list'
                    ? [`the ${column.name}`]
                    : column.type === 'choice'
                      ? column.options[0]
                      : `the ${column.name}`,
                ]),
              )
            : {}
        const answer = field.type === 'rows' ? [row()] : field.type === 'list' ? ['an answer'] : 'an answer'
        const [fact, ...others] = factsOf(id, read(id, { [field.name]: answer }))
        expect(others).toEqual([])
        const text = `${fact?.key} ${fact?.value}`
        const words = field.type === 'rows' ? Object.values(row()).flat() : ['an answer']
        for (const word of words) expect(text).toContain(word)
      }
  })
})
