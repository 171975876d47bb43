import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, expect, test, vi } from 'vitest'
import { loadConfig } from './credentials.ts'

afterEach(() => void vi.unstubAllEnvs())

/** A pod with a service account and an empty home directory. */
const startPod = async (host = '10.0.0.1') => {
  const directory = await temporaryDirectory()
  const serviceAccount = join(directory.path, 'serviceaccount')
  const home = join(directory.path, 'home')
  await mkdir(serviceAccount)
  await mkdir(home)
  await writeFile(join(serviceAccount, 'token'), 'first\n')
  await writeFile(join(serviceAccount, 'ca.crt'), 'authority')
  const environment = {
    ...{ HOME: home, KUBECONFIG: '' },
    ...{ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' },
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return {
    environment: process.env,
    serviceAccount,
    home,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

const kubeconfig = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'https://from-a-file:6443' } }],
  users: [{ name: 'a', user: { token: 'a' } }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
})

test('a pod uses its service account, whose files may change', async () => {
  await using pod = await startPod()
  const read = await loadConfig(pod)
  const access = { server: 'https://10.0.0.1:443', proxy: undefined }
  expect(await read()).toEqual({ ...access, headers: { authorization: 'Bearer first' }, security: { ca: 'authority' } })
  await writeFile(join(pod.serviceAccount, 'token'), 'second\n')
  await writeFile(join(pod.serviceAccount, 'ca.crt'), 'another')
  expect(await read()).toEqual({ ...access, headers: { authorization: 'Bearer second' }, security: { ca: 'another' } })
})

test('an IPv6 address of the API server is put in brackets', async () => {
  await using pod = await startPod('fd00::1')
  const read = await loadConfig(pod)
  expect((await read()).server).toBe('https://[fd00::1]:443')
})

test('a file in the home directory takes precedence over the service account', async () => {
  await using pod = await startPod()
  await mkdir(join(pod.home, '.kube'))
  await writeFile(join(pod.home, '.kube', 'config'), kubeconfig)
  const read = await loadConfig(pod)
  expect((await read()).server).toBe('https://from-a-file:6443')
})
