import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../support/repository-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('every relative link of a Markdown page leads to a file', async () => {
  const pages = repositoryFiles(root, ['md'])
  const broken: string[] = []
  let links = 0
  for (const page of pages) {
    const content = await readFile(join(root, page), 'utf8')
    for (const [, target = ''] of content.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)(?:#[^)]*)?\)/g)) {
      links += 1
      await access(join(root, dirname(page), target)).catch(() => broken.push(`${page}: ${target}`))
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(20)
})
