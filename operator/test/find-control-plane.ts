import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { besideCheckout, isExecutable } from '@trellis/distributed/servers'

/** The two programs that a control plane without nodes is made of. */
export type ControlPlanePrograms = { etcd: string; kubeApiserver: string }

/** Where setup-envtest keeps what it fetched, the newest version first. */
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
 * Finds kube-apiserver and etcd: in the folder that KUBEBUILDER_ASSETS names, where setup-envtest puts them, then beside
 * the checkout. Gives the reason, a sentence for the names of skipped tests, where this machine lacks them.
 */
export const findControlPlane = (environment: NodeJS.ProcessEnv = process.env): ControlPlanePrograms | string => {
  const reported = environment.KUBEBUILDER_ASSETS
  for (const folders of reported ? [() => [reported]] : [() => envtestFolders(environment), besideCheckout]) {
    for (const folder of folders()) {
      const programs = { etcd: join(folder, 'etcd'), kubeApiserver: join(folder, 'kube-apiserver') }
      if (Object.values(programs).every(isExecutable)) return programs
    }
  }
  return reported
    ? `KUBEBUILDER_ASSETS is ${reported}, which lacks kube-apiserver or etcd`
    : 'kube-apiserver and etcd were not found; KUBEBUILDER_ASSETS can say where they are'
}
