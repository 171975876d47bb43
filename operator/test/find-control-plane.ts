import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { besideCheckout, isExecutable } from '@trellis/distributed/servers'

/** Paths of the two programs of a control plane without nodes. */
export type ControlPlanePrograms = { etcd: string; kubeApiserver: string }

/** The folders in which setup-envtest stores its downloads, newest version first. */
const envtestFolders = (environment: NodeJS.ProcessEnv): string[] => {
  const share = environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share')
  const versions = join(share, 'kubebuilder-envtest', 'k8s')
  if (!existsSync(versions)) return []
  const newestFirst = new Intl.Collator('en', { numeric: true })
  return readdirSync(versions)
    .sort((a, b) => newestFirst.compare(b, a))
    .map((version) => join(versions, version))
}

/**
 * Finds kube-apiserver and etcd in the folder KUBEBUILDER_ASSETS if it is set, otherwise in the folders of setup-envtest, then
 * beside the checkout. Returns the reason, for the names of skipped tests, if this machine lacks them.
 */
export const findControlPlane = (environment: NodeJS.ProcessEnv = process.env): ControlPlanePrograms | string => {
  const configured = environment.KUBEBUILDER_ASSETS
  for (const folders of configured ? [() => [configured]] : [() => envtestFolders(environment), besideCheckout]) {
    for (const folder of folders()) {
      const programs = { etcd: join(folder, 'etcd'), kubeApiserver: join(folder, 'kube-apiserver') }
      if (Object.values(programs).every(isExecutable)) return programs
    }
  }
  return configured
    ? `KUBEBUILDER_ASSETS is ${configured}, which lacks kube-apiserver or etcd`
    : 'kube-apiserver and etcd were not found; set KUBEBUILDER_ASSETS to their folder'
}
