import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../src/', import.meta.url))
const components = globSync('**/*.svelte', { cwd: root }).map(
  (name) => [name, readFileSync(join(root, name), 'utf8')] as const,
)

test('no component has inline styles or raw markup, which the content security policy forbids', () => {
  const wrong = components.filter(
    ([, text]) => /\sstyle="/.test(text) || text.includes('{@html') || /\son\w+="/.test(text),
  )
  expect(components.length).toBeGreaterThan(40)
  expect(wrong.map(([name]) => name)).toEqual([])
})

/** Runs when the files of the app cannot be loaded, so it imports none of them. */
const boot = 'boot.ts'

test('pages do not fetch by themselves', () => {
  const modules = globSync('**/*.{ts,svelte}', { cwd: root }).filter((name) => !name.startsWith('api') && name !== boot)
  const fetching = modules.filter((name) =>
    /(?<![.\w])fetch\(|new EventSource/.test(readFileSync(join(root, name), 'utf8')),
  )
  expect(fetching).toEqual([])
})
