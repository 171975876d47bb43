import { once } from 'node:events'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { ControlPlane } from '../../operator/test/control-plane.ts'
import type { Manifest } from './helm.ts'

type Kinds = { resources: { name: string; kind: string; namespaced: boolean }[] }

/** Creates and removes objects of any kind as a specified user. Throws the server's message if it refuses. */
export type Api = {
  /** Also refuses unknown and duplicate fields. */
  create: (manifest: Manifest, options?: { user?: string; dryRun?: boolean }) => Promise<Manifest>
  remove: (manifest: Manifest) => Promise<void>
}

export const connectApi = (plane: ControlPlane): Api => {
  const known = new Map<string, Promise<Kinds>>()

  const send = async (
    method: string,
    path: string,
    { body, user }: { body?: object; user?: string | undefined } = {},
  ) => {
    const sent = request(`${plane.server}${path}`, {
      method,
      ca: plane.ca,
      headers: { authorization: `Bearer ${plane.token(user)}`, 'content-type': 'application/json' },
    })
    sent.end(body ? JSON.stringify(body) : undefined)
    const [response] = await once(sent, 'response')
    const answer = (await json(response)) as Manifest
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer.message}`)
    return answer
  }

  const pathOf = async ({ apiVersion, kind, metadata }: Manifest): Promise<string> => {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const kinds = known.get(root) ?? send('GET', root).then((answer) => answer as unknown as Kinds)
    known.set(root, kinds)
    const found = (await kinds).resources.find((one) => one.kind === kind && !one.name.includes('/'))
    if (!found) throw new Error(`The server does not know ${kind} of ${apiVersion}.`)
    return found.namespaced
      ? `${root}/namespaces/${metadata.namespace ?? 'space'}/${found.name}`
      : `${root}/${found.name}`
  }

  return {
    create: async (manifest, { user, dryRun = false } = {}) =>
      send('POST', `${await pathOf(manifest)}?fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`, {
        body: manifest,
        user,
      }),
    remove: async (manifest) => {
      await send('DELETE', `${await pathOf(manifest)}/${manifest.metadata.name}`)
    },
  }
}
