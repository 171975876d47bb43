import { readFile } from 'node:fs/promises'
import { errorKinds } from '@trellis/kit/errors'
import { expect, test } from 'vitest'

const page = new URL('../../docs/reference/errors.md', import.meta.url)

const rows = Object.entries(errorKinds).map(([kind, { status, meaning }]) => `| ${status} | \`${kind}\` | ${meaning} |`)

test('the errors page lists exactly the kinds of the registry', async () => {
  const listed = (await readFile(page, 'utf8')).split('\n').filter((line) => /^\| \d{3} \|/.test(line))
  expect(listed).toEqual(rows)
})
