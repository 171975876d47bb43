import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findExecutable } from '@trellis/distributed/servers'
import { parseAllDocuments } from 'yaml'
import { lookFor } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

export const chart = fileURLToPath(new URL('../../charts/trellis', import.meta.url))

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: manifests of any kind, read where a test knows which
  [field: string]: any
}

const { command, missing } = lookFor((environment) => findExecutable('helm', { variable: 'HELM_BIN', environment }))
/** Why this machine cannot render charts, for the names of skipped tests; undefined where it can. */
export const helmMissing: string | undefined = missing

export type Answer = { code: number; output: string; error: string }

/** Runs Helm isolated from the environment and home directory of the user. */
export const helm = (...args: string[]): Answer => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: '/usr/bin:/bin', HOME: tmpdir() },
  })
  return { code: status ?? 1, output: stdout, error: stderr }
}

/** Renders the chart with values in the namespace `space`; `args` can override it. */
export const template = async (values: object, ...args: string[]): Promise<Answer> => {
  await using directory = await temporaryDirectory()
  const file = join(directory.path, 'values.json')
  await writeFile(file, JSON.stringify(values))
  return helm('template', 'release', chart, '--namespace', 'space', '--values', file, ...args)
}

/** Parses the YAML documents of a text, without empty ones. */
export const documents = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0]
      return document.toJS() as Manifest | null
    })
    .filter((document): document is Manifest => document !== null)

const rendered = new Map<string, Promise<Manifest[]>>()

/** Renders and parses the chart; cached by values within a test file. Throws Helm's message. */
export const render = async (values: object = {}, ...args: string[]): Promise<Manifest[]> => {
  const key = JSON.stringify([values, args])
  const manifests = rendered.getOrInsertComputed(key, async () => {
    const { code, output, error } = await template(values, ...args)
    if (code !== 0) throw new Error(error)
    return documents(output)
  })
  return structuredClone(await manifests)
}
