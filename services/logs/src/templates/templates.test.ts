import { expect, test } from 'vitest'
import { noTemplates } from './store.ts'
import { createTemplates } from './templates.ts'

test('a form that the miner fails at has no template and is reported, and the rest of its batch is mined', async () => {
  const problems: string[] = []
  const templates = createTemplates({ store: noTemplates, onProblem: (problem) => problems.push(problem) })
  const [slow = '', full = ''] = await templates.idsOf(['disk <*> is slow', 'disk <*> is full'])
  expect([slow, full]).not.toContain('')
  // Not a string, so the miner throws.
  const broken: string = JSON.parse('5')
  expect(await templates.idsOf(['disk <*> is slow', broken, 'disk <*> is full'])).toEqual([slow, '', full])
  expect(problems).toEqual([expect.stringMatching(/^Templates could not be found: TypeError/)])
})
