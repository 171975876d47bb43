import { expect, test } from 'vitest'
import { type Feedback, issueBody, issueTitle } from './issue-text.ts'

const feedback: Feedback = {
  title: 'The score is missing',
  description: 'The first listing has no score.',
  type: 'bug',
  repro: '1. Search\n2. Look',
  view: 'search',
  submitter: '',
}
const context = {
  product: 'listings',
  version: '0.1.0',
  platform: 'linux x64, Node 26.0.0',
  sentAt: new Date('2026-03-01T09:15:02.000Z'),
}

test('the body of a bug has a heading, the description, the steps and the context', () => {
  expect(issueBody({ ...feedback, submitter: 'Kim' }, context)).toBe(
    [
      '## Bug report',
      '```text\nThe first listing has no score.\n```',
      '### Reproduction Steps',
      '```text\n1. Search\n2. Look\n```',
      '### Context',
      [
        '- Product: listings',
        '- View: ` search `',
        '- Version: 0.1.0',
        '- Platform: linux x64, Node 26.0.0',
        '- Time: 2026-03-01T09:15:02.000Z (UTC)',
        '- Submitted by: ` Kim `',
      ].join('\n'),
    ].join('\n\n'),
  )
})

test.each([
  ['feature', '## Feature request'],
  ['other', '## Feedback'],
] as const)('the type %s has the heading "%s" and no steps', (type, heading) => {
  const body = issueBody({ ...feedback, type }, context)
  expect(body.startsWith(heading)).toBe(true)
  expect(body).not.toContain('Reproduction')
})

test('a fence in the text does not end its code block', () => {
  const description = 'before\n```\n@team see #1\n`````\nafter'
  const body = issueBody({ ...feedback, description }, context)
  expect(body).toContain(`\`\`\`\`\`\`text\n${description}\n\`\`\`\`\`\``)
})

test('a view and a submitter stay on their lines, and a backtick does not end their code', () => {
  const body = issueBody({ ...feedback, view: 'a\n- Product: b', submitter: '`@team` ``x``' }, context)
  expect(body).toContain('- View: ` a - Product: b `\n')
  expect(body).toContain('- Submitted by: ``` `@team` ``x`` ```')
  expect(issueBody({ ...feedback, view: ' ' }, context)).toContain('- View: unknown')
})

test('characters that hide or reverse text are removed', () => {
  const body = issueBody({ ...feedback, description: 'a\u202Eb\u200Bc\u0007d\r\ne\tf' }, context)
  expect(body).toContain('```text\nabcd\ne\tf\n```')
})

test('a title is one line, and mentions and references in it are broken but readable', () => {
  expect(issueTitle({ title: ' Hello\n@team,  see #12 and !3, mail a@b ' })).toBe(
    'Hello @\u2060team, see #\u206012 and !\u20603, mail a@\u2060b',
  )
  expect(issueTitle({ title: '\u200B\u202E' })).toBe('')
})

test('a title of many mentions is no longer than trackers accept', () => {
  expect(Array.from(issueTitle({ title: '@a'.repeat(100) }))).toHaveLength(255)
})
