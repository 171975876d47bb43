/** A module of its own, since bundlers keep all of a package that is imported dynamically. */
export { KubeConfig } from '@kubernetes/client-node'
