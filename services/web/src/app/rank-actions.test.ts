import { expect, test } from 'vitest'
import { rankActions } from './rank-actions.ts'

const actions = ['Copy link', 'Go to Logs', 'Logs: Incidents'].map((title) => ({ title, group: 'Everywhere' }))

test('every word must occur, and titles that start with the first come first', () => {
  expect(rankActions(actions, 'logs').map(({ title }) => title)).toEqual(['Logs: Incidents', 'Go to Logs'])
  expect(rankActions(actions, 'inc logs').map(({ title }) => title)).toEqual(['Logs: Incidents'])
  expect(rankActions(actions, '')).toHaveLength(3)
})
