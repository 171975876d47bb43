import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExecutableMissing, findExecutable, isExecutable } from '@trellis/distributed/servers'

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

const find = (name: string, variable: string): string => findExecutable(name, { variable, environment: process.env })

/** The program that loads images into the cluster and builds base images. */
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

/** The programs for tests on a cluster, and why this machine cannot run them, for the names of skipped tests. */
export const { programs, missing: clusterMissing } = look()

/** The name of a suite, with the reason if it is skipped. */
export const unlessMissing = (name: string): string => (clusterMissing ? `${name} (skipped: ${clusterMissing})` : name)
