import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../support/repository-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Locked = { link?: boolean; resolved?: string; integrity?: string }
type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string> | undefined>

const readJson = async <Content>(path: string) => JSON.parse(await readFile(join(root, path), 'utf8')) as Content

test('every installed package has a digest in the lock file, and comes from the configured registry', async () => {
  const { packages } = await readJson<{ packages: Record<string, Locked> }>('package-lock.json')
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  expect(installed.length).toBeGreaterThan(100)
  // The file names the place of a package only where that is not the registry.
  const isPinned = ({ resolved, integrity }: Locked) => /^sha512-/.test(integrity ?? '') && resolved === undefined
  expect(installed.filter(([, locked]) => !isPinned(locked)).map(([path]) => path)).toEqual([])
})

test('every dependency is declared with an exact version', async () => {
  const manifests = repositoryFiles(root, ['json']).filter((path) => /(?:^|\/)package\.json$/.test(path))
  expect(manifests).toContain('package.json')
  const declared = await Promise.all(
    manifests.map(async (path) => {
      const { dependencies, devDependencies, optionalDependencies } = await readJson<Manifest>(path)
      const versions = { ...dependencies, ...devDependencies, ...optionalDependencies }
      return Object.entries(versions).map(([name, version]) => `${path}: ${name} ${version}`)
    }),
  )
  const isExact = (line: string) => / (?:npm:\S+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(line) || / @trellis\//.test(line)
  expect(declared.flat().filter((line) => !isExact(line))).toEqual([])
})

test('no install script of a package is run but that of the Node binary', async () => {
  const script = await readFile(join(root, 'scripts/run.mjs'), 'utf8')
  const calls = [...script.matchAll(/\bnpm\(\[([^\]]*)/g)].map(([, text = '']) =>
    [...text.matchAll(/'([^']+)'/g)].map(([, word]) => word),
  )
  const [installs, others] = [
    calls.filter(([verb]) => verb === 'install'),
    calls.filter(([verb]) => verb !== 'install'),
  ]
  expect(installs).toEqual([expect.arrayContaining(['--ignore-scripts'])])
  expect(others).toEqual([['rebuild', 'node', '--ignore-scripts=false', expect.any(String), expect.any(String)]])
  // Nothing else installs packages of npm.
  const files = repositoryFiles(root, ['mjs', 'ts', 'json', 'sh', 'Dockerfile']).filter(
    (path) => !/^docs|\.test\.ts$/.test(path),
  )
  const installing = await Promise.all(
    [...files, '.ci/run'].map(async (path) =>
      /\bnpm (?:ci|i|install|rebuild)\b(?!\.)/.test(await readFile(join(root, path), 'utf8')) ? [path] : [],
    ),
  )
  expect(installing.flat()).toEqual([])
})
