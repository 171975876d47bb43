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

/** Where a path that a page names may begin: at the root, beside the page, or in the sources of the package that the page is about. */
const bases = (page: string): string[] => {
  const internals = /^docs\/internals\/(\w+)\//.exec(page)?.[1]
  return ['', dirname(page), join(dirname(page), 'src'), ...(internals ? [`services/${internals}/src`] : [])].map(
    (path) => join(root, path),
  )
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

test('every source file that a Markdown page names exists', async () => {
  // Decisions tell of the code at their time.
  const pages = repositoryFiles(root, ['md']).filter((page) => !page.startsWith('docs/decisions/'))
  const missing: string[] = []
  let names = 0
  for (const page of pages) {
    const content = await readFile(join(root, page), 'utf8')
    for (const [, name = ''] of content.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|mjs|svelte|proto))`/g)) {
      names += 1
      const found = await Promise.all(bases(page).map((base) => exists(join(base, name))))
      if (!found.includes(true)) missing.push(`${page}: ${name}`)
    }
  }
  expect(missing).toEqual([])
  expect(names).toBeGreaterThan(20)
})
