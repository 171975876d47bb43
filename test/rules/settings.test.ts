import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../support/repository-files.ts'
import { isTestCode } from './import-graph.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = repositoryFiles(root, ['ts']).filter(
  (path) => /^(?:services\/[^/]+|operator)\/src\//.test(path) && !isTestCode(path),
)
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
const texts = await Promise.all(sources.map(async (path) => withoutComments(await readFile(join(root, path), 'utf8'))))
const text = texts.join('\n')

/** A line of a schema, `port: setting('PORT', ...)`; `reserved` ones are not read yet. */
const declaration = /\b(?<name>\w+): (?:emptyCounts\(\s*)?(?:setting|secret)\(\s*'(?<variable>[A-Z][A-Z0-9_]+)'/g

/** An access by property or in a destructuring pattern; the declaration itself does not count. */
const readsOf = (name: string) =>
  new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\s*(?:[,}=]|:(?!\\s*(?:emptyCounts|reserved|setting|secret)\\())`)

test('every declared setting is read', () => {
  const settings = new Map([...text.matchAll(declaration)].map(({ groups }) => [groups?.variable, groups?.name ?? '']))
  expect([...settings.keys()]).toEqual(expect.arrayContaining(['PORT', 'SERVICE_API_KEY', 'MUSIC_DB_PATH']))
  expect(settings.size).toBeGreaterThan(150)
  expect([...settings].filter(([, name]) => !readsOf(name).test(text))).toEqual([])
})
