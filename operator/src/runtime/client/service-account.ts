import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { AccessReader } from './credentials.ts'

/** The folder in which every pod has the token of its service account and the certificate of the API server's authority. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The ports for which client-node assumes a plain-text proxy beside the pod. */
const plainTextPorts = new Set(['80', '8080', '8001'])

/**
 * Reads the access of a pod's service account; undefined outside of a pod, or if a plain-text proxy is in use. A pod
 * needs none of the formats that client-node understands, whose modules would take 10 MB of its memory.
 */
export const serviceAccountAccess = (environment: NodeJS.ProcessEnv, folder: string): AccessReader | undefined => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  const tokenFile = join(folder, 'token')
  if (!host || !port || plainTextPorts.has(port) || !existsSync(tokenFile)) return undefined
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  return async () => {
    const [token, ca] = await Promise.all([readFile(tokenFile, 'utf8'), readFile(join(folder, 'ca.crt'), 'utf8')])
    return { server, headers: { authorization: `Bearer ${token.trim()}` }, security: { ca }, proxy: undefined }
  }
}
