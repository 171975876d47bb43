import { describe, expect, test } from 'vitest'
import { answerLimits, readAnswers, stepOf } from './answers.ts'
import { factsOf } from './sentences.ts'
import { wizardSteps } from './steps.ts'

const read = (step: string, answers: unknown) => readAnswers(stepOf(step), JSON.stringify(answers))

describe('answers to the wizard', () => {
  test('are kept without blanks and without what is empty', () => {
    const answers = {
      hosts: [{ name: ' nas ', addresses: ['192.168.1.10', '', '192.168.1.10'], system: '', role: null }],
    }
    expect(read('hosts', answers)).toEqual({ hosts: [{ name: 'nas', addresses: ['192.168.1.10'] }] })
    expect(read('hosts', { hosts: [] })).toEqual({})
    expect(readAnswers(stepOf('hosts'), '')).toEqual({})
  })

  test.each<[string, string, unknown, string]>([
    ['no object', 'hosts', ['nas'], 'must be an object'],
    ['a field that is not asked for', 'hosts', { host: [] }, 'host'],
    ['a column that is not asked for', 'hosts', { hosts: [{ name: 'nas', adress: '1' }] }, 'adress'],
    ['a row without a name', 'hosts', { hosts: [{ role: 'server' }] }, 'required'],
    ['a row that is none', 'hosts', { hosts: ['nas'] }, 'must be an object'],
    ['rows that are none', 'hosts', { hosts: 'nas' }, 'list of objects'],
    ['a choice that is not offered', 'hosts', { hosts: [{ name: 'nas', role: 'toaster' }] }, 'one of'],
    ['a name twice', 'hosts', { hosts: [{ name: 'nas' }, { name: 'NAS' }] }, 'there already'],
    ['text that is none', 'network', { router: 7 }, 'must be text'],
    ['text that is too long', 'network', { router: 'x'.repeat(301) }, '300'],
    ['a list that is none', 'network', { subnets: 'all' }, 'must be a list'],
    ['too many rows', 'hosts', { hosts: Array.from({ length: 201 }, (_, name) => ({ name: `${name}` })) }, '200'],
  ])('%s is refused, with its place', (_, step, answers, words) => {
    const refused = expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(words) })
    expect(() => read(step, answers)).toThrow(refused)
  })

  test('what is no JSON, of no step, or endless is refused', () => {
    expect(() => readAnswers(stepOf('hosts'), '{')).toThrow(expect.objectContaining({ kind: 'malformed' }))
    expect(() => stepOf('cellar')).toThrow(expect.objectContaining({ kind: 'not_found' }))
    expect(() => readAnswers(stepOf('hosts'), ' '.repeat(answerLimits.all + 1))).toThrow(
      expect.objectContaining({ kind: 'too_large' }),
    )
  })

  test('of every question there is a fact', () => {
    for (const { id, fields } of wizardSteps)
      for (const field of fields) {
        const row = () =>
          field.type === 'rows'
            ? Object.fromEntries(
                field.columns.map((column) => [
                  column.name,
                  column.type === 'list'
                    ? [`said ${column.name}`]
                    : column.type === 'choice'
                      ? column.options[0]
                      : `said ${column.name}`,
                ]),
              )
            : {}
        const answer = field.type === 'rows' ? [row()] : field.type === 'list' ? ['said so'] : 'said so'
        const [fact, ...others] = factsOf(id, read(id, { [field.name]: answer }))
        expect(others).toEqual([])
        const text = `${fact?.key} ${fact?.value}`
        const said = field.type === 'rows' ? Object.values(row()).flat() : ['said so']
        for (const word of said) expect(text).toContain(word)
      }
  })
})
