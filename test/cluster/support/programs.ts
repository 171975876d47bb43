import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExecutableMissing, findExecutable, isExecutable } from '@trellis/distributed/servers'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

const find = (name: string, variable: string): string => findExecutable(name, { variable, environment: process.env })

/** What loads images into the cluster and builds their base. */
export const clusterTool: string = process.env.TRELLIS_CLUSTER_TOOL ?? join(root, '..', 'shared', 'cluster', 'cluster')

export type Programs = { helm: string; kubectl: string; buildah: string; natsServer: string }

const look = (): { programs: Programs; missing: string | undefined } => {
  const none = { helm: '', kubectl: '', buildah: '', natsServer: '' }
  if (!process.env.KUBECONFIG) return { programs: none, missing: 'KUBECONFIG names no cluster' }
  if (!isExecutable(clusterTool))
    return { programs: none, missing: 'TRELLIS_CLUSTER_TOOL names no program that loads images into the cluster' }
  try {
    const programs = {
      helm: find('helm', 'HELM_BIN'),
      kubectl: find('kubectl', 'KUBECTL_BIN'),
      buildah: find('buildah', 'BUILDAH_BIN'),
      natsServer: find('nats-server', 'NATS_SERVER_BIN'),
    }
    const answer = spawnSync(programs.kubectl, ['get', '--raw', '/readyz', '--request-timeout=10s'], {
      encoding: 'utf8',
    })
    return { programs, missing: answer.status === 0 ? undefined : `the cluster of KUBECONFIG does not answer` }
  } catch (error) {
    if (error instanceof ExecutableMissing) return { programs: none, missing: error.message.replace(/\.$/, '') }
    throw error
  }
}

/** What the tests on a cluster run, and why this machine cannot run them, in words for the names of tests that are skipped for it. */
export const { programs, missing: clusterMissing } = look()

/** For the names of suites. */
export const unlessMissing = (name: string): string => (clusterMissing ? `${name} (skipped: ${clusterMissing})` : name)
