import { describe, expect, test } from 'vitest'
import { createMiner, type Miner } from './miner.ts'
import { templateIdOf } from './template-id.ts'

const formOf = (miner: Miner, form: string) => miner.formOf(miner.mine(form))
const opened = (name: string) => `session opened for user ${name} by (uid=<*>)`

describe('templates', () => {
  test('three words in a position are three templates; with the fourth the position becomes variable', () => {
    const miner = createMiner(100)
    const ids = ['root', 'news', 'test'].map((name) => miner.mine(opened(name)))
    expect(new Set(ids).size).toBe(3)
    const general = miner.mine(opened('cyrus'))
    expect(miner.formOf(general)).toBe(opened('<*>'))
    expect(ids.map(miner.resolve)).toEqual([general, general, general])
    expect(miner.mine(opened('nobody-yet'))).toBe(general) // words: allowed
  })

  test('a position that is known to be variable is so from the first word on, whichever comes first', () => {
    for (const forms of [
      [opened('<*>'), opened('root')],
      [opened('root'), opened('<*>')],
    ]) {
      const miner = createMiner(100)
      const [first = '', second = ''] = forms.map(miner.mine)
      expect(miner.resolve(first)).toBe(miner.resolve(second))
    }
  })

  test('templates that share too little remain separate, however many there are', () => {
    const miner = createMiner(100)
    const ids = ['start', 'stop', 'wake', 'sleep', 'reset', 'probe'].map((name) => miner.mine(`driver: ${name}`))
    expect(new Set(ids.map(miner.resolve)).size).toBe(6)
  })

  test('the same lines yield the same templates in any order', () => {
    const names = ['root', 'news', 'test', 'cyrus', 'amanda']
    const forms = [
      ...names.map(opened),
      ...names.map((name) => `Accepted password for ${name} from <*> port <*>`),
      'check pass; user unknown',
    ]
    const found = [forms, forms.toReversed(), forms.toSorted()].map((order) => {
      const miner = createMiner(100)
      for (const form of order) miner.mine(form)
      return forms.map((form) => miner.mine(form))
    })
    expect(found[1]).toEqual(found[0])
    expect(found[2]).toEqual(found[0])
  })

  test('an id is derived from the form, so every miner assigns a template the same id', () => {
    const miner = createMiner(100)
    expect(miner.mine('check pass; user unknown')).toBe(templateIdOf('check pass; user unknown'))
  })

  test('two miners that learn from each other arrive at the same template', () => {
    const [one, other] = [createMiner(100), createMiner(100)]
    const early = ['root', 'news'].map((name) => one.mine(opened(name)))
    other.learn(one.changes())
    const late = ['test', 'cyrus'].map((name) => other.mine(opened(name)))
    one.learn(other.changes())
    const general = templateIdOf(opened('<*>'))
    expect([...early, ...late].map(one.resolve)).toEqual([general, general, general, general])
    expect(early.map(other.resolve)).toEqual([general, general])
  })

  test('the members of a template are all ids that resolve to it', () => {
    const miner = createMiner(100)
    const ids = ['root', 'news', 'test', 'cyrus'].map((name) => miner.mine(opened(name)))
    const members = miner.members(miner.resolve(ids[0] ?? ''))
    expect(members).toEqual(expect.arrayContaining(ids))
    expect(miner.members(ids[0] ?? '').toSorted()).toEqual(members.toSorted())
  })

  test('many forms with the same first word become one template', () => {
    const miner = createMiner(10_000)
    const word = (number: number) => number.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
    for (let number = 0; number < 2_000; number++) {
      miner.mine(`note ${word(number * 7_919)} ${word(number * 104_729)} ${word(number * 1_299_709)} spoken`)
    }
    expect(formOf(miner, 'note quite another thing spoken')).toBe('note <*> <*> <*> <*>')
    expect(miner.size).toBeLessThan(400)
  })

  test('at most `max` templates are cached, and an evicted one gets the same id again', () => {
    const miner = createMiner(50)
    const first = miner.mine('the first of all')
    for (let number = 0; number < 200; number++) miner.mine(`${'word '.repeat(number % 60)}${'.'.repeat(number)} end`)
    expect(miner.size).toBeLessThanOrEqual(50)
    expect(miner.mine('the first of all')).toBe(first)
  })
})
