import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '@trellis/distributed/servers'
import { lookFor } from '../support/programs.ts'
import { must } from '../support/run-program.ts'

/**
 * The published package with the schemas of many Kubernetes versions. The strict ones are used: definitions with properties allow no
 * others.
 */
const source = {
  name: 'kubernetes-validate',
  version: '1.37.0',
  digest: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
  /** The folder of a version's schemas in the package. */
  folder: (version: string) => join('kubernetes_validate', 'kubernetes-json-schema', `v${version}-local-strict`),
  /** The address under which its schemas reference shared definitions. */
  definitions: '/api/_definitions.json#',
}

const shared = '_definitions.json'

/** The folder of a version's schemas, in the layout of kubeconform's own collection. */
export const folderOf = (schemas: string, version: string): string => join(schemas, `v${version}-standalone-strict`)

/** The schema location of a kind, as a kubeconform template. */
export const locationIn = (folder: string): string => join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json')

type Schema = { $id?: string; $schema?: string; 'x-kubernetes-group-version-kind'?: object }

/** Copies the schemas of kinds, and changes their references from site pages to files. */
const copySchemas = async (from: string, to: string): Promise<void> => {
  await mkdir(to)
  for (const file of (await readdir(from)).filter((name) => name.endsWith('.json'))) {
    const { $id: _, $schema: __, ...schema } = JSON.parse(await readFile(join(from, file), 'utf8')) as Schema
    if (file !== shared && !schema['x-kubernetes-group-version-kind']) continue
    await writeFile(join(to, file), JSON.stringify(schema).replaceAll(`"${source.definitions}`, `"${shared}#`))
  }
}

/** Downloads the package with pip, verifies its digest, and converts its schemas for kubeconform. */
const download = async (python: string, versions: readonly string[], folder: string): Promise<void> => {
  const requirement = `${source.name}==${source.version}`
  const quietly = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '20']
  await must(python, ['-m', 'pip', 'download', ...quietly, '--no-deps', '--dest', folder, requirement], {
    seconds: 120,
  })
  const [wheel = ''] = (await readdir(folder)).filter((name) => name.endsWith('.whl'))
  const digest = createHash('sha256')
    .update(await readFile(join(folder, wheel)))
    .digest('hex')
  if (digest !== source.digest)
    throw new Error(`${wheel} has the SHA-256 ${digest}, not the expected ${source.digest}.`)
  await must(python, ['-m', 'zipfile', '-e', join(folder, wheel), join(folder, 'wheel')])
  await mkdir(join(folder, 'schemas'))
  for (const version of versions)
    await copySchemas(join(folder, 'wheel', source.folder(version)), folderOf(join(folder, 'schemas'), version))
}

export type Schemas = { folder: string } | { missing: string }

/**
 * The folder with the schemas of these versions, laid out according to `folderOf`: KUBERNETES_SCHEMAS if it is set, otherwise the
 * user's cache, which is filled from the package the first time. If neither is available, the reason.
 */
export const findSchemas = async (versions: readonly string[]): Promise<Schemas> => {
  const { KUBERNETES_SCHEMAS, XDG_CACHE_HOME } = process.env
  if (KUBERNETES_SCHEMAS) return { folder: KUBERNETES_SCHEMAS }
  const caches = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'trellis')
  const cache = join(caches, `kubernetes-schemas-${source.version}-of-${versions.join('-')}`)
  if (existsSync(cache)) return { folder: cache }
  const { command: python, missing } = lookFor((environment) =>
    findExecutable('python3', { variable: 'PYTHON_BIN', environment }),
  )
  if (missing !== undefined) return { missing: `the schemas of Kubernetes are not cached, and ${missing}` }
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(join(caches, 'download-'))
  try {
    await download(python, versions, folder)
    // Another process may have filled the cache first, with the same content.
    await rename(join(folder, 'schemas'), cache).catch((error) => {
      if (!existsSync(cache)) throw error
    })
    return { folder: cache }
  } catch (error) {
    const [reason] = (error as Error).message.split('\n').filter((line) => /ERROR|SHA-256|No module/.test(line))
    return { missing: `the schemas of Kubernetes could not be fetched: ${reason ?? (error as Error).message}` }
  } finally {
    await rm(folder, { recursive: true })
  }
}
