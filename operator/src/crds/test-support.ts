import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { type ControlPlane, type ControlPlanePrograms, startControlPlane } from '../../test/control-plane.ts'
import { apiVersion } from './kind.ts'
import { kinds } from './render.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Document = { [key: string]: Json }

/** A response of the API server. `warnings` are what kubectl would print in addition. */
export type Answer = { status: number; body: Document; warnings: string[] }

export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options?: { body?: unknown; type?: string; accept?: string },
) => Promise<Answer>

/** The server responds to an unknown path in plain text. */
const readBody = (text: string): Document => {
  try {
    return JSON.parse(text) as Document
  } catch {
    return { message: text }
  }
}

/** Sends requests to the API server as its administrator. */
const sender =
  (plane: ControlPlane): Send =>
  (method, path, { body, type = 'application/json', accept = 'application/json' } = {}) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${plane.token()}`, accept, 'content-type': type }
      const sent = request(`${plane.server}${path}`, { method, ca: plane.ca, headers }, (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (part: string) => (answer += part))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: readBody(answer),
            warnings: [response.headers.warning ?? []].flat(),
          }),
        )
      })
      sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })

const filesIn = (folder: URL): [name: string, text: string][] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])

const readFolder = (folder: URL): Record<string, Document> =>
  Object.fromEntries(filesIn(folder).map(([name, text]) => [name, parse(text) as Document]))

export const definitionsFolder = new URL('../../../crds/', import.meta.url)
export const examplesFolder = new URL('../../../deploy/examples/', import.meta.url)

/** The committed definitions, by file name. */
export const committedDefinitions = () => readFolder(definitionsFolder)
/** The manifests of an example: its documents, and those in its ConfigMaps. */
const manifestsIn = (text: string): Document[] =>
  parseAllDocuments(text).flatMap((document) => {
    const manifest = document.toJS() as Document
    const held = manifest.kind === 'ConfigMap' ? Object.entries(manifest.data as Record<string, string>) : []
    return [manifest, ...held.flatMap(([name, content]) => (name.endsWith('.yaml') ? manifestsIn(content) : []))]
  })

/** The objects of our kinds in the committed examples, by file name. */
export const examples = (): Record<string, Document> =>
  Object.fromEntries(
    filesIn(examplesFolder).flatMap(([name, text]) =>
      manifestsIn(text).flatMap((manifest) => (manifest.apiVersion === apiVersion ? [[name, manifest]] : [])),
    ),
  )

export const pathOf = (folder: URL): string => fileURLToPath(folder)

/** Reads a nested value of a response: `at(body, 'status', 'phase')`; undefined if it is absent. */
export const at = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (found, key) => (found !== null && typeof found === 'object' ? (found as Document)[key] : undefined),
    value,
  )

const pluralOf = (kind: Json | undefined): string => {
  const found = kinds.find((candidate) => candidate.kind === kind)
  if (!found) throw new Error(`${String(kind)} is not one of our kinds.`)
  return found.plural
}

/** The path of a kind's collection, of one object, or of its subresource, in the namespace `default`. */
export const objectPath = (kind: Json | undefined, name?: string, subresource?: 'status' | 'scale'): string =>
  [`/apis/${apiVersion}/namespaces/default/${pluralOf(kind)}`, name, subresource]
    .filter((part) => part !== undefined)
    .join('/')

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Polls for up to a minute: the server serves a new definition only some time after it has accepted it. */
export const untilTrue = async (what: string, isTrue: () => Promise<boolean>) => {
  const limit = Date.now() + 60_000
  while (!(await isTrue())) {
    if (Date.now() > limit) throw new Error(`${what} did not come true within a minute.`)
    await sleep(20)
  }
}

export type InstalledKinds = AsyncDisposable & {
  send: Send
  /** The server's response to each definition, by file name. */
  answers: Record<string, Answer>
  kubeconfig: string
}

/** Starts a control plane with the committed definitions, and waits until each is served. */
export const installKinds = async (programs: ControlPlanePrograms): Promise<InstalledKinds> => {
  await using started = new AsyncDisposableStack()
  const plane = started.use(await startControlPlane(programs))
  const send = sender(plane)
  const answers: Record<string, Answer> = {}
  for (const [file, definition] of Object.entries(committedDefinitions())) {
    const answer = await send('POST', definitionsPath, { body: definition })
    if (answer.status !== 201) throw new Error(`${file} was rejected: ${JSON.stringify(answer.body.message)}`)
    answers[file] = answer
  }
  for (const { kind } of kinds) {
    await untilTrue(`that ${kind} is served`, async () => (await send('GET', objectPath(kind))).status === 200)
  }
  const owned = started.move()
  return { send, answers, kubeconfig: plane.kubeconfig(), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
